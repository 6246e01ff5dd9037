"""One parse and one walk of a file: every access to a tracked object, whatever rules will ask."""

from __future__ import annotations

import ast

from ratchet.analysis.facts import NO_EXPORTS, Exports, FileFacts
from ratchet.analysis.modules import module_name
from ratchet.analysis.tracked import Tracked, compile_pack
from ratchet.model import Access, Pack, Schema

VERSION = 2
"""Raised whenever the same file could give other accesses than before."""

_MAX_PASSES = 100

__all__ = ["VERSION", "FileFacts", "Tracked", "accesses_of", "analyse", "compile_pack"]


def analyse(
    path: str, text: str, tree: ast.Module, tracked: Tracked, outside: Exports = NO_EXPORTS
) -> FileFacts:
    """The facts of one file.

    `path` is relative to the source root; `outside` says what names of other files stand for. The walk is
    repeated while a pass learns names that make more lines interesting; each pass knows more, so it ends.
    """
    # A run that finds all facts in the cache needs none of these.
    from ratchet.analysis.exports import exports_of
    from ratchet.analysis.lines import Lines
    from ratchet.analysis.state import State
    from ratchet.analysis.statements import Statements

    module, is_package = module_name(tracked.package, path)
    state = State(tracked, module, is_package, Lines(text), outside)
    walk = Statements(state)
    for _ in range(_MAX_PASSES):
        state.emitter.clear()
        walk.walk(tree)
        if not state.next_pass():
            break
    facts = FileFacts(
        accesses=state.emitter.accesses(),
        copies=state.emitter.copies(),
        imports=tuple(sorted(state.imported)),
        exports=exports_of(state),
        parsed=True,
    )
    state.forget()
    return facts


def accesses_of(code: str, pack: Pack, schema: Schema, path: str = "srt/example.py") -> tuple[Access, ...]:
    """The accesses of a piece of code by itself; a SyntaxError where it does not parse."""
    return analyse(path, code, ast.parse(code), compile_pack(pack, schema)).accesses
