"""How the end of an interrupted write is shown: finished with --resume, or taken back with --undo."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ratchet.cli.output import Output, document, joined, shown_path
from ratchet.wording import plural

if TYPE_CHECKING:
    from ratchet.codemod.apply import Applied


def show_restored(done: Applied, resumed: bool, output: Output, verb: str, journal: Path) -> int:
    """Print what became of the files of a verb; returns the exit code, 3 where one was left alone.

    `journal` is the folder of the verb's journal.
    """

    def render(format: str, _color: bool) -> str:
        if format == "json":
            files = [shown_path(path) for path in done.replaced]
            refused = [shown_path(path) for path in done.refused]
            told = "resume" if resumed else "undo"
            commit = {} if done.commit is None else {"commit": done.commit}
            return document(told, {"files": files, "refused": refused, **commit})
        return joined(_lines(done, resumed, verb, journal))

    output.write(render)
    return 3 if done.refused else 0


def _lines(done: Applied, resumed: bool, verb: str, journal: Path) -> Iterator[str]:
    from ratchet.codemod.journal import JOURNAL

    yield from (f"  {shown_path(path)}" for path in done.replaced)
    yield f"{plural(len(done.replaced), 'file')} {'written' if resumed else 'put back'}"
    if done.commit is not None:
        yield f"committed as {done.commit[:10]}; where slices are left, run the same command again"
    yield from (f"left alone, for it changed since: {shown_path(path)}" for path in done.refused)
    if done.refused:
        option, side = ("resume", "new") if resumed else ("undo", "old")
        yield (
            f"next: give it its {side} text by hand, then run `ratchet {verb} --{option}` again;"
            f" to keep it as it is, remove {shown_path(journal / JOURNAL)}"
        )
