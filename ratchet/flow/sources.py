"""The text behind ends, read and parsed once: what is written, under which tests, and what is called."""

from __future__ import annotations

import ast
import copy
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping

from ratchet.flow.model import End
from ratchet.frozen import dataclass
from ratchet.model import Problem, ReadFile, Span
from ratchet.syntax.document import Document, read_document
from ratchet.syntax.moments import Place, called_at_import, in_body, places_of

_Function = ast.FunctionDef | ast.AsyncFunctionDef

_NO_VALUE = object()
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_TOP = re.compile(r"^(?!def |async def |class |#)\S.*$", re.MULTILINE)
_DEFINED = re.compile(r"^def (\w+)", re.MULTILINE)
_NEXT = re.compile(r"\n(?=[^\s)\]}#])")
_CALL = re.compile(r"\b(\w+)\(")


class Sources:
    """The files of a tree, by their paths."""

    def __init__(self, read: ReadFile) -> None:
        self._read = read
        self._data: dict[str, bytes] = {}
        self._texts: dict[str, str] = {}
        self._lines: dict[str, list[str]] = {}
        self._documents: dict[str, Document | None] = {}
        self._places: dict[tuple[str, str], Mapping[Span, Place]] = {}
        self._functions: dict[str, tuple[_Function, ...]] = {}
        self._handed: dict[tuple[str, str], set[str]] = {}
        self._callers: dict[tuple[str, str], str] = {}
        self._at_top: dict[str, frozenset[str]] = {}
        self._at_import: dict[str, frozenset[str]] = {}

    def text(self, path: str) -> str:
        """The text of a file as far as a search needs it; empty where it cannot be read."""
        if path not in self._texts:
            self._texts[path] = self._bytes(path).decode("utf-8", "replace")
        return self._texts[path]

    def mentions(self, path: str, *names: str) -> bool:
        """Whether a file's bytes hold all of these names."""
        data = self._bytes(path)
        return all(name.encode() in data for name in names)

    def _bytes(self, path: str) -> bytes:
        if path not in self._data:
            data = self._read(path)
            self._data[path] = data if isinstance(data, bytes) else b""
        return self._data[path]

    def lines(self, path: str) -> list[str]:
        """The lines of a file's text, as `text` gives it."""
        if path not in self._lines:
            self._lines[path] = self.text(path).split("\n")
        return self._lines[path]

    def document(self, path: str) -> Document | None:
        """A file with its tree; None where it cannot be read or parsed, which its own problem tells."""
        if path not in self._documents:
            data = self._read(path)
            found = read_document(path, data) if isinstance(data, bytes) else data
            self._documents[path] = None if isinstance(found, Problem) else found
        return self._documents[path]

    def places(self, path: str, asked: str, spans: Iterable[Span]) -> Mapping[Span, Place]:
        """Where spans stand in a file's tree; whoever asks for the same must name the same ones."""
        if (path, asked) not in self._places:
            document = self.document(path)
            self._places[path, asked] = places_of(document, set(spans)) if document is not None else {}
        return self._places[path, asked]

    def calls(self, path: str, *names: str) -> Iterator[tuple[_Function, tuple[Called, ...]]]:
        """The functions of a file whose lines hold all of these names, outer ones first.

        Each comes with what its statements call, one after the other.
        """
        if path not in self._functions:
            document = self.document(path)
            self._functions[path] = tuple(_functions_in(document.tree)) if document is not None else ()
        lines = self.lines(path)
        for function in self._functions[path]:
            text = "\n".join(lines[function.lineno - 1 : function.end_lineno])
            if all(name in text for name in names):
                yield function, tuple(calls_in_order(function))

    def caller(self, writer: str, reader: str, field: str, find: Callable[[], str]) -> str:
        """What calls two functions one after the other, found once; `field` is what is handed on there."""
        names = (writer, reader)
        self._handed.setdefault(names, set()).add(field)
        if names not in self._callers:
            self._callers[names] = find()
        return self._callers[names]

    def handed_on(self, paths: Iterable[str]) -> frozenset[str]:
        """The fields of which these files may hold another caller, which is looked for again."""
        found: set[str] = set()
        for names, fields in self._handed.items():
            if any(self.mentions(path, *names) for path in paths):
                found |= fields
                self._callers.pop(names, None)
        return frozenset(found)

    def forget(self, paths: Iterable[str]) -> None:
        """Read some files anew; and look up again where something stands, in whatever file."""
        self._places.clear()
        for path in paths:
            for known in (self._data, self._texts, self._lines, self._documents, self._functions):
                known.pop(path, None)
            self._at_top.pop(path, None)
            self._at_import.pop(path, None)

    def may_run_at_import(self, path: str, name: str) -> bool:
        """Whether the top of a file may call one of its functions, by name or through another one."""
        if path not in self._at_top:
            text = self.text(path)
            at_top = {called for line in _TOP.findall(text) for called in _CALL.findall(line)}
            _, *parts = _DEFINED.split(text)
            bodies = {
                defined: _NEXT.split(body, 1)[0]
                for defined, body in zip(parts[::2], parts[1::2], strict=True)
            }
            pending = at_top & bodies.keys()
            while pending:
                at_top |= pending
                inside = {called for each in pending for called in _CALL.findall(bodies[each])}
                pending = (inside & bodies.keys()) - at_top
            self._at_top[path] = frozenset(at_top)
        return name in self._at_top[path]

    def called_at_import(self, path: str) -> frozenset[str]:
        """A file's own functions that its top level calls."""
        if path not in self._at_import:
            document = self.document(path)
            self._at_import[path] = called_at_import(document.tree) if document else frozenset()
        return self._at_import[path]


def written_value(end: End, place: Place) -> ast.expr | None:
    """The expression that a write puts into its field; None where it is none by itself."""
    node, statement = place.node, place.statement
    if isinstance(node, ast.Call):
        given = next((item.value for item in node.keywords if item.arg == end.access.field), None)
        is_setter = end.access.via == "builtin" and len(node.args) > 1
        return node.args[-1] if given is None and is_setter else given
    if isinstance(statement, ast.Assign) and any(target is node for target in statement.targets):
        return statement.value
    if isinstance(statement, ast.AnnAssign) and statement.target is node:
        return statement.value
    return None


def literal(node: ast.expr | None) -> object:
    """The value of a constant expression, told apart by its type too; None where it is no constant."""
    try:
        value = _NO_VALUE if node is None else ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return None if value is _NO_VALUE else (type(value).__name__, repr(value))


def conditions(document: Document, place: Place, fields: Mapping[Span, str]) -> frozenset[str]:
    """The tests in a node's function under which it runs, as text with fields in place of accesses."""
    chain = [*place.above, place.node]
    function = place.function
    first = next((number for number, node in enumerate(chain) if node is function), 0)
    found = set()
    for outer, inner in zip(chain[first:], chain[first + 1 :], strict=False):
        if isinstance(outer, ast.If) and outer.test is not inner:
            holds = in_body(outer, inner)
            tests = _conjuncts(outer.test) if holds else [ast.UnaryOp(ast.Not(), outer.test)]
            found |= {_spelled(document, test, fields) for test in tests}
        elif isinstance(outer, _MAYBE) and not _runs_anyway(outer, inner):
            found.add(f"{type(outer).__name__} at {document.path}:{getattr(outer, 'lineno', 0)}")
    return frozenset(found)


_MAYBE = (
    *(ast.While, ast.For, ast.AsyncFor, ast.ExceptHandler, ast.match_case, ast.IfExp, ast.BoolOp, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def _runs_anyway(outer: ast.AST, inner: ast.AST) -> bool:
    """Whether a part of what asks something runs whatever the answer is: the question itself."""
    if isinstance(outer, (ast.While, ast.IfExp)):
        return inner is outer.test
    if isinstance(outer, (ast.For, ast.AsyncFor)):
        return inner is outer.iter
    return isinstance(outer, ast.BoolOp) and inner is outer.values[0]


def _conjuncts(test: ast.expr) -> Iterator[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            yield from _conjuncts(value)
    else:
        yield test


def _spelled(document: Document, test: ast.expr, fields: Mapping[Span, str]) -> str:
    class Names(ast.NodeTransformer):
        def generic_visit(self, node: ast.AST) -> ast.AST:
            if isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
                field = fields.get(document.span(node))
                if field is not None:
                    return ast.Name(f"${field}", ast.Load())
            return super().generic_visit(node)

    return ast.unparse(Names().visit(copy.deepcopy(test)))


def _functions_in(tree: ast.Module) -> Iterator[_Function]:
    pending: deque[ast.AST] = deque([tree])
    while pending:
        node = pending.popleft()
        if isinstance(node, _FUNCTIONS):
            yield node
        pending.extend(child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))


def calls_in_order(function: ast.AST) -> list[Called]:
    """What each simple statement of a function calls, in order of the text.

    A name is the last part of what is called, those of a statement in the order in which they run. Functions
    inside of it are left out.
    """
    found: list[Called] = []
    pending: list[tuple[ast.AST, tuple[tuple[int, str], ...]]] = [
        (statement, ()) for statement in reversed(getattr(function, "body", []))
    ]
    while pending:
        statement, branches = pending.pop()
        if isinstance(statement, _DEFINITIONS):
            continue
        blocks = [(name, getattr(statement, name, None) or []) for name in _BLOCKS]
        if not any(items for _, items in blocks):
            found.append(Called(tuple(_called(statement)), branches))
            continue
        inside: list[tuple[ast.AST, tuple[tuple[int, str], ...]]] = []
        for name, items in blocks:
            for number, item in enumerate(items):
                if isinstance(item, (ast.ExceptHandler, ast.match_case)):
                    branch = (*branches, (id(statement), f"{name} {number}"))
                    inside += [(part, branch) for part in item.body]
                elif isinstance(statement, ast.If):
                    inside.append((item, (*branches, (id(statement), name))))
                else:
                    inside.append((item, branches))
        pending.extend(reversed(inside))
    return found


@dataclass(frozen=True, slots=True)
class Called:
    """The names that a statement calls, in order, and the branches of conditions that it stands in."""

    names: tuple[str, ...]
    branches: tuple[tuple[int, str], ...] = ()

    def may_lead_to(self, other: Called) -> bool:
        """Whether one run may come to both: they stand in no two branches of one condition."""
        taken = dict(self.branches)
        return all(taken.get(condition, branch) == branch for condition, branch in other.branches)


_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _called(node: ast.AST) -> Iterator[str]:
    """The names that run, in order: what is called runs after what it is given."""
    for child in ast.iter_child_nodes(node):
        yield from _called(child)
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name):
            yield node.func.id
        elif isinstance(node.func, ast.Attribute):
            yield node.func.attr
