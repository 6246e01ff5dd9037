"""A field's writers, its two stores and its readers as a picture: SVG, and text for Graphviz."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from ratchet.escape import display_path as inert
from ratchet.flow.story import FieldStory, ToldEnd
from ratchet.frozen import dataclass

WIDTH = 1180
_ROW, _TOP, _BOX = 34, 84, 400
_MIDDLE = (WIDTH - 150) // 2
_STORES = ("record", "namespace")
_STYLE = """\
text{font:12px system-ui,sans-serif;fill:#333}.title{font-weight:600;font-size:15px;fill:#111}
.faint{fill:#666;font-size:11px}.ground{fill:#fff}.box{fill:#f4f6f8;stroke:#c5ccd3}.store{fill:#e3eefa;stroke:#0b62a8}
.bad{fill:#fdecea;stroke:#c62828}.line{fill:none;stroke:#0b62a8;stroke-opacity:.55;stroke-width:1.5}
.line.bad{fill:none;stroke:#c62828;stroke-opacity:1}.line.early{stroke:#8a939b;stroke-dasharray:4 3}
@media (prefers-color-scheme:dark){text{fill:#ccc}.title{fill:#eee}.faint{fill:#9aa4ad}.ground{fill:#16191d}
.box{fill:#22272e;stroke:#444c56}.store{fill:#12304d;stroke:#6cb6ff}.bad{fill:#40211f;stroke:#ff7b72}
.line{stroke:#6cb6ff}.line.bad{stroke:#ff7b72}.line.early{stroke:#768390}}"""


@dataclass(frozen=True, slots=True)
class _Row:
    """The ends of one scope that do the same on one store: drawn as one box."""

    ends: tuple[ToldEnd, ...]

    @property
    def store(self) -> str:
        return self.ends[0].end.store

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(sorted({rule for told in self.ends for rule in told.rules}))

    @property
    def is_early(self) -> bool:
        return all(told.moment == "resolution" for told in self.ends)

    @property
    def where(self) -> str:
        """The file, and the lines."""
        lines = ", ".join(str(told.end.access.span.line) for told in self.ends[:4])
        return f"{self.ends[0].end.path}:{lines}{', …' if len(self.ends) > 4 else ''}"

    @property
    def what(self) -> str:
        """The scope, when it runs, and the rules that count it."""
        told = self.ends[0]
        parts = [told.end.access.scope or "module", told.moment or "", *self.rules]
        return " · ".join(part for part in parts if part)


def svg(story: FieldStory) -> str:
    """The picture, as one document without references; everything shown is escaped."""
    writers, readers = _rows(story, writes=True), _rows(story, writes=False)
    height = _TOP + _ROW * max(len(writers), len(readers), 4) + 24
    title = f"{story.field} ({story.namespace or 'no namespace'})"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
        f' height="{height}" role="img" aria-label="{_safe("Who writes and who reads " + title)}">',
        f"<style>{_STYLE}</style>",
        f'<rect class="ground" width="{WIDTH}" height="{height}"/>',
        _text(16, 28, title, "title"),
        _text(16, 62, f"writers: {sum(len(row.ends) for row in writers)}", "faint"),
        _text(WIDTH - _BOX - 16, 62, f"readers: {sum(len(row.ends) for row in readers)}", "faint"),
    ]
    middles = {store: _TOP + (height - _TOP) * (1 + 2 * number) / 4 for number, store in enumerate(_STORES)}
    parts += _lines(writers, middles, 16 + _BOX, _MIDDLE)
    parts += _lines(readers, middles, WIDTH - _BOX - 16, _MIDDLE + 150)
    for store, y in middles.items():
        parts.append(f'<rect class="store" x="{_MIDDLE}" y="{y - 20:.0f}" width="150" height="40" rx="6"/>')
        parts.append(_text(_MIDDLE + 75, y + 4, store, anchor="middle"))
    parts += _boxes(writers, 16)
    parts += _boxes(readers, WIDTH - _BOX - 16)
    return "\n".join([*parts, "</svg>\n"])


def dot(story: FieldStory) -> str:
    """The same as text for Graphviz: `dot -Tsvg`."""
    lines = [f"digraph {_quoted(story.field)} {{", "  rankdir=LR;"]
    lines.append('  node [shape=box, fontname="sans-serif"];')
    lines += [f"  {store} [label={_quoted(_store_label(story, store))}, style=bold];" for store in _STORES]
    for kind, writes in (("writer", True), ("reader", False)):
        for number, row in enumerate(_rows(story, writes=writes)):
            name = f"{kind}{number}"
            color = ", color=red" if row.rules else ", style=dashed" if row.is_early else ""
            ends = f"{name} -> {row.store}" if writes else f"{row.store} -> {name}"
            label = _quoted("\n".join((row.where, row.what)))
            lines.append(f"  {name} [label={label}{color}];")
            lines.append(f"  {ends}{f' [{color[2:]}]' if color else ''};")
    return "\n".join([*lines, "}\n"])


def _store_label(story: FieldStory, store: str) -> str:
    return f"{store} {story.namespace or ''}".strip() if store == "namespace" else store


def _rows(story: FieldStory, *, writes: bool) -> tuple[_Row, ...]:
    """The boxes of one side: those that rules count first, those of the resolution last."""
    groups: dict[tuple[str, str, str, bool], list[ToldEnd]] = {}
    for told in story.ends:
        if (told.role != "read") == writes:
            end = told.end
            key = (end.path, end.access.scope, end.store, bool(told.rules))
            groups.setdefault(key, []).append(told)
    rows = [_Row(tuple(found)) for found in groups.values()]
    return tuple(
        sorted(rows, key=lambda row: (not row.rules, row.is_early, row.store != "record", row.where))
    )


def _boxes(rows: Sequence[_Row], x: int) -> Iterator[str]:
    for number, row in enumerate(rows):
        y = _TOP + number * _ROW
        bad = " bad" if row.rules else ""
        yield f'<rect class="box{bad}" x="{x}" y="{y}" width="{_BOX}" height="{_ROW - 4}" rx="4"/>'
        yield _text(x + 8, y + 13, _fit(row.where))
        yield _text(x + 8, y + 26, _fit(row.what), "faint")


def _lines(rows: Sequence[_Row], middles: dict[str, float], side: int, middle: int) -> Iterator[str]:
    for number, row in enumerate(rows):
        y, target = _TOP + number * _ROW + _ROW / 2 - 2, middles[row.store]
        bend = (side + middle) / 2
        kind = " bad" if row.rules else " early" if row.is_early else ""
        path = f"M{side},{y:.0f} C{bend:.0f},{y:.0f} {bend:.0f},{target:.0f} {middle},{target:.0f}"
        yield f'<path class="line{kind}" d="{path}"/>'


def _fit(text: str, room: int = 56) -> str:
    return text if len(text) <= room else f"…{text[1 - room :]}"


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    name = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}"{name}>{_safe(text)}</text>'


def _safe(text: str) -> str:
    return escape(inert(text), quote=True)


def _quoted(text: str) -> str:
    """A string of Graphviz; a line end in it becomes one of the label."""
    shown = "\n".join(inert(line) for line in text.split("\n"))
    return '"' + shown.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
