"""Imports of names that have moved, rewritten in place and proved.

Only what one statement says is changed: names that moved leave it for new statements at the same place. Where
both releases must work, a name that only the newer one has in its new place is imported by a `try`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from ratchet.codemod.import_lines import from_import, member_key
from ratchet.codemod.model import Rewritten
from ratchet.codemod.splice import Splice, splice
from ratchet.codemod.style import DEFAULT_LENGTH
from ratchet.frozen import dataclass
from ratchet.model import Problem
from ratchet.surface import Release, stand
from ratchet.syntax.document import Document, read_document
from ratchet.upgrade.model import Finding

_INDENT = "    "


@dataclass(frozen=True, slots=True)
class Move:
    """An imported name that is to come from another module; `guarded` where the older release has it not."""

    alias: ast.alias
    module: str
    guarded: bool


def rewrite_moved(
    document: Document,
    data: bytes,
    findings: Iterable[Finding],
    both: Release | None,
    length: int = DEFAULT_LENGTH,
) -> Rewritten | Problem | None:
    """A file with its moved imports rewritten; None where there is nothing to do, a problem without proof.

    `both` is the older release where the code must go on to run with it too. Statements that hold comments,
    or share their line, are left alone.
    """
    wanted = {
        (finding.span.line, finding.span.column): finding
        for finding in findings
        if finding.sure and finding.kind == "import" and finding.change == "moved"
    }
    splices: list[Splice] = []
    planned: list[tuple[str, str]] = []
    for node in ast.walk(document.tree) if wanted else ():
        if isinstance(node, ast.ImportFrom):
            moves = list(_moves(document, node, wanted, both))
            made = _rewritten(document, node, moves, length) if moves else None
            if made is not None:
                splices.append(made)
                planned += [(f"{node.module}.{m.alias.name}", f"{m.module}.{m.alias.name}") for m in moves]
    if not splices:
        return None
    new = splice(document.text, splices)
    changes = tuple((part.start, part.end, part.text) for part in sorted(splices))
    rewritten = Rewritten(document.path, data, document.encode(new), (), changes)
    fault = prove_moved(document, rewritten.new, planned)
    return fault or rewritten


def _moves(
    document: Document,
    node: ast.ImportFrom,
    wanted: dict[tuple[int, int], Finding],
    both: Release | None,
) -> Iterator[Move]:
    for alias in node.names:
        place = (alias.lineno, document.lines.column(alias.lineno, alias.col_offset))
        finding = wanted.get(place)
        if finding is not None and finding.what == f"{node.module}.{alias.name}":
            module = finding.instead.rpartition(".")[0]
            guarded = both is not None and stand(both, finding.instead).state != "there"
            yield Move(alias, module, guarded)


def _rewritten(document: Document, node: ast.ImportFrom, moves: Sequence[Move], length: int) -> Splice | None:
    start, end = document.start(node), document.end(node)
    line_end = document.line_end(end)
    rest = document.text[end:line_end].strip()
    indent = document.text[document.line_start(start) : start]
    if indent.strip() or (rest and not rest.startswith("#")) or "#" in document.text[start:end]:
        return None
    moved = {id(move.alias) for move in moves}
    kept = [document.code(alias) for alias in node.names if id(alias) not in moved]
    old = f"from {node.module} import"
    parts = [from_import(old, kept, indent, length, document.newline)] if kept else []
    for module in sorted({move.module for move in moves}):
        for guarded in (False, True):
            names = _names(document, moves, module, guarded)
            if names:
                statement = from_import(f"from {module} import", names, indent, length, document.newline)
                parts.append(
                    _tried(document, module, node.module or "", names, indent, length)
                    if guarded
                    else statement
                )
    return Splice(start, end, f"{document.newline}{indent}".join(parts))


def _names(document: Document, moves: Sequence[Move], module: str, guarded: bool) -> list[str]:
    chosen = [move.alias for move in moves if move.module == module and move.guarded == guarded]
    return [document.code(alias) for alias in sorted(chosen, key=lambda alias: member_key(alias.name))]


def _tried(document: Document, module: str, old: str, names: list[str], indent: str, length: int) -> str:
    """The new place, and the old one for a release without it: `from old import name as name`."""
    inner = indent + _INDENT
    again = [name if " as " in name else f"{name} as {name}" for name in names]
    lines = [
        "try:",
        inner + from_import(f"from {module} import", names, inner, length, document.newline),
        f"{indent}except ImportError:",
        inner + from_import(f"from {old} import", again, inner, length, document.newline),
    ]
    return document.newline.join(lines)


# Proof


def prove_moved(old: Document, data: bytes, planned: Sequence[tuple[str, str]]) -> Problem | None:
    """What is wrong with a rewritten file; None where it may be written.

    It parses; without its imports it is the same tree; every name that an import binds is still bound, and
    what the imports name differs by the planned moves alone.
    """
    new = read_document(old.path, data)
    if isinstance(new, Problem):
        return new
    if _rest(old.tree) != _rest(new.tree):
        return Problem(old.path, 0, "something beside its imports would change, so it is left alone")
    before, after = set(_imported(old.tree)), set(_imported(new.tree))
    moves = dict(planned)
    lost = {
        (moves[dotted], name) for dotted, name in before if dotted in moves and (dotted, name) not in after
    }
    expected = {(dotted, name) for dotted, name in before if dotted not in moves or (dotted, name) in after}
    added = {(moves[dotted], name) for dotted, name in before if dotted in moves}
    if after != expected | lost | added:
        return Problem(old.path, 0, "its imports would not bind what was planned, so it is left alone")
    return None


class _Strip(ast.NodeTransformer):
    """Leaves out imports, and a `try` that holds nothing else."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        return None

    def visit_Try(self, node: ast.Try) -> ast.AST | None:
        parts = [*node.body, *(part for handler in node.handlers for part in handler.body)]
        if all(isinstance(part, ast.ImportFrom) for part in parts) and not (node.orelse or node.finalbody):
            return None
        return self.generic_visit(node)


def _rest(tree: ast.Module) -> str:
    return ast.dump(_Strip().visit(ast.parse(ast.unparse(tree))))


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield f"{'.' * node.level}{node.module or ''}.{alias.name}", alias.asname or alias.name
