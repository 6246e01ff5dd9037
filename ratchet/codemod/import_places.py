"""Where a new import statement goes: beside its like, in the order of isort's black profile."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from ratchet.analysis.lines import first_line
from ratchet.codemod.import_lines import from_import, member_key, module_key
from ratchet.codemod.imports import Imports
from ratchet.codemod.scopes import Scope
from ratchet.codemod.splice import Splice
from ratchet.syntax.document import Document

ImportStatement = ast.Import | ast.ImportFrom


def add_import(
    document: Document, imports: Imports, scope: Scope, module: str, names: Iterable[str], length: int
) -> Splice:
    """Return the splice that adds a from-import of a module to a module's or a function's start."""
    body: Sequence[ast.stmt] = getattr(scope.node, "body", ())
    listed = sorted(set(names), key=member_key)
    indent = "" if scope.kind == "module" else document.indentation(document.start(_first_own_line(body)))
    beside, relative = _beside(imports, body, scope.kind == "module")
    head = f"from {_relative(imports.module, imports.is_package, module) if relative else module} import"
    line = indent + from_import(head, listed, indent, length, document.newline)
    if beside:
        before = [node for node in beside if _sorts_before(imports, node, module)]
        if before and not _is_followed(document, before[-1]):
            return _on_next_line(document, document.end(before[-1]), [line])
        first = document.start(before[-1] if before else beside[0])
        start = document.line_start(first)
        if not document.text[start:first].strip() and not document.goes_on(document.lines.line_of(first)):
            return Splice(start, start, line + document.newline)
    if _is_docstring(body[0]) and _is_followed(document, body[0]):
        return _behind_docstring(document, body, line.strip())
    if scope.kind == "module":
        return _new_section(document, body, line)
    start = document.start(body[0])
    on_line = document.text[document.line_start(start) : start].strip(" \t\f@")
    if on_line or document.goes_on(first_line(body[0])):
        return Splice(start, start, f"{line.strip()}; ")
    at = _before_body(document, body)
    follows = document.text[document.next_line(at) :]
    return _on_next_line(document, at, [line, ""] if follows.split("\n", 1)[0].strip() else [line])


def _is_followed(document: Document, node: ast.stmt) -> bool:
    """Whether another statement stands behind one on its line: `a; b`."""
    end = document.end(node)
    rest = document.text[end : document.line_end(end)].strip(" \t;")
    return bool(rest) and not rest.startswith("#")


def _behind_docstring(document: Document, body: Sequence[ast.stmt], line: str) -> Splice:
    """On the line of a docstring that others share: behind it, and behind imports of the future."""
    last = body[0]
    for node in body[1:]:
        if not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            break
        last = node
    end = document.end(last)
    if _is_followed(document, last):
        return Splice(end, end, f"; {line}")
    return _on_next_line(document, end, [line])


def _first_own_line(body: Sequence[ast.stmt]) -> ast.stmt:
    return body[1] if len(body) > 1 and _is_docstring(body[0]) else body[0]


def _is_docstring(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _runs(body: Sequence[ast.stmt]) -> list[list[ImportStatement]]:
    """The groups of import statements that follow each other, without those of the future."""
    runs: list[list[ImportStatement]] = [[]]
    for node in body:
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.module != "__future__"):
            runs[-1].append(node)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _beside(
    imports: Imports, body: Sequence[ast.stmt], anywhere: bool
) -> tuple[Sequence[ImportStatement], bool]:
    """The statements that a new one is sorted among, and whether the file writes its own imports relative."""
    package = imports.module.partition(".")[0]
    runs = _runs(body)
    start = 1 if body and _is_docstring(body[0]) else 0
    if not anywhere:
        runs = [run for run in runs if start < len(body) and run[0] is body[start]][:1]
    for relative in (False, True):
        for run in runs:
            own = [node for node in run if _is_own(node, package, relative)]
            if any(isinstance(node, ast.ImportFrom) for node in own) or (own and not relative):
                return own, relative
    return (), False


def _is_own(node: ImportStatement, package: str, relative: bool) -> bool:
    if isinstance(node, ast.ImportFrom):
        top = (node.module or "").partition(".")[0]
        return bool(node.level) if relative else not node.level and top == package
    return not relative and any(alias.name.partition(".")[0] == package for alias in node.names)


def _sorts_before(imports: Imports, node: ImportStatement, module: str) -> bool:
    if isinstance(node, ast.Import):
        return True
    return module_key(imports.source_of(node)) <= module_key(module)


def _relative(importer: str, is_package: bool, module: str) -> str:
    """A module's name as another module of its package writes it, with leading dots."""
    own = importer.split(".") if is_package else importer.split(".")[:-1]
    parts = module.split(".")
    common = 0
    while common < min(len(own), len(parts) - 1) and own[common] == parts[common]:
        common += 1
    return "." * (len(own) - common + 1) + ".".join(parts[common:])


def _on_next_line(document: Document, offset: int, lines: Sequence[str]) -> Splice:
    """Insert whole lines below the line that holds an offset, also where that is the last one."""
    text = document.newline.join(lines)
    at = document.next_line(offset)
    if at == document.line_end(offset):  # no line end to stand behind
        return Splice(at, at, document.newline + text)
    return Splice(at, at, text + document.newline)


def _new_section(document: Document, body: Sequence[ast.stmt], line: str) -> Splice:
    """Below the imports at the top, those of the future, or the docstring; else before everything."""
    top = 0
    for number, node in enumerate(body):
        if isinstance(node, ImportStatement) or (number == 0 and _is_docstring(node)):
            top = number + 1
        else:
            break
    if top:
        offset = document.end(body[top - 1])
        rest = document.text[document.next_line(offset) :]
        lines = ["", line] if not rest or not rest.split("\n", 1)[0].strip() else ["", line, ""]
        return _on_next_line(document, offset, lines)
    defines = isinstance(body[0], ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    start = document.lines.starts[first_line(body[0]) - 1]
    return Splice(start, start, line + document.newline * (3 if defines else 2))


def _before_body(document: Document, body: Sequence[ast.stmt]) -> int:
    """An offset on the last line before a function's first statement and the comments above it."""
    if _is_docstring(body[0]):
        return document.end(body[0])
    number = first_line(body[0]) - 1
    while not document.lines.line(number).strip() or document.lines.line(number).lstrip().startswith("#"):
        number -= 1
    return document.lines.starts[number - 1]
