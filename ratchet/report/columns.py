"""Tables of text: the cells of a column one below the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ratchet.report.layout import Line, Segment, Style


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], styles: Sequence[Style]) -> Iterator[Line]:
    """The lines of a table; columns whose head begins with `>` are set to the right, the last one is free."""
    names = [head.lstrip(">") for head in heads]
    widths = [max(map(len, cells)) for cells in zip(names, *rows, strict=True)]
    right = [head.startswith(">") for head in heads]
    for number, cells in enumerate((names, *rows)):
        line: list[Segment] = []
        shown = max((at for at, cell in enumerate(cells) if cell), default=-1) + 1
        for at, cell in enumerate(cells[:shown]):
            last = at == shown - 1
            padded = cell.rjust(widths[at]) if right[at] else cell if last else cell.ljust(widths[at])
            line.append((padded if last else f"{padded}  ", styles[at] if number else "faint"))
        yield tuple(line)
