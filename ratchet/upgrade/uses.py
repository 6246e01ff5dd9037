"""Where a file names something of the engine: imports, attributes of modules, strings, methods of classes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from ratchet.codemod.scopes import Occurrence, Place
from ratchet.codemod.survey import Survey, survey
from ratchet.model import Span
from ratchet.syntax.document import Document
from ratchet.upgrade.model import Kind, Use

_BROAD = frozenset(("Exception", "BaseException"))
_IMPORTS = _BROAD | {"ImportError", "ModuleNotFoundError"}
_ATTRIBUTES = _BROAD | {"AttributeError"}
_CALLS = _BROAD | {"RuntimeError"}
_BY_NAME = frozenset(("getattr", "setattr", "hasattr", "delattr"))
_Import = ast.Import | ast.ImportFrom


class Uses:
    """The uses of one file; `package` is the engine's top package."""

    def __init__(self, document: Document, package: str) -> None:
        self.document = document
        self.package = package
        self.nodes = list(ast.walk(document.tree))
        self.parents = {id(child): node for node in self.nodes for child in ast.iter_child_nodes(node)}
        self._path = re.compile(rf"{re.escape(package)}(?:\.[^\W\d]\w*)+")
        bound = {name for node in self.nodes for name in self._bound(node)}
        self.survey: Survey = survey(document, bound)
        self.seen = {id(item.node): item for items in self.survey.occurrences.values() for item in items}

    def all(self) -> list[Use]:
        """Every use, in order of place."""
        found = [*self._imports(), *self._names(), *self._strings(), *self._subclasses()]
        return sorted(set(found), key=lambda use: (use.span.line, use.span.column, use.dotted, use.kind))

    def dotted_of(self, node: ast.expr) -> str | None:
        """The dotted name that an expression stands for, None where it is nothing of the engine."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        meant = self._meant(node) if isinstance(node, ast.Name) else ()
        return ".".join([meant[0], *parts]) if meant else None

    # Imports

    def _bound(self, node: ast.AST) -> Iterator[str]:
        if isinstance(node, _Import):
            for alias in node.names:
                if self._is_engine(self._origin(node, alias)):
                    yield (alias.asname or alias.name).partition(".")[0]

    def _origin(self, node: _Import, alias: ast.alias) -> str:
        if isinstance(node, ast.Import):
            return alias.name
        return f"{node.module}.{alias.name}" if not node.level and node.module else ""

    def _is_engine(self, dotted: str) -> bool:
        return dotted.startswith(f"{self.package}.")

    def _imports(self) -> Iterator[Use]:
        groups = self._alternatives()
        for item in self.survey.imports:
            guarded, safe = _guarded(item.place, _IMPORTS), _guarded(item.place, _CALLS)
            for alias in item.node.names:
                dotted = self._origin(item.node, alias)
                if not self._is_engine(dotted):
                    continue
                kind: Kind = "import" if isinstance(item.node, ast.ImportFrom) else "module"
                if alias.name == "*":
                    kind, dotted = "star", dotted.removesuffix(".*")
                name = alias.asname or alias.name
                others = tuple(
                    other for other in groups.get((id(_try_of(item.place)), name), ()) if other != dotted
                )
                yield Use(
                    self.document.path,
                    self._span(alias),
                    kind,
                    dotted,
                    guarded or bool(others),
                    others,
                    (),
                    safe,
                )

    def _alternatives(self) -> dict[tuple[int, str], list[str]]:
        """By `try` and by name, all that its branches import under that name."""
        groups: dict[tuple[int, str], list[str]] = {}
        for item in self.survey.imports:
            around = _try_of(item.place)
            for alias in item.node.names if around is not None else ():
                dotted = self._origin(item.node, alias)
                groups.setdefault((id(around), alias.asname or alias.name), []).append(dotted)
        return groups

    # Names

    def _names(self) -> Iterator[Use]:
        for node in self.nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                meant = self._meant(node)
                if meant:
                    yield from self._chain(node, meant)

    def _meant(self, node: ast.Name) -> tuple[str, ...]:
        """The dotted names that a name may stand for; none where something else is bound to it as well."""
        item = self.seen.get(id(node))
        scope = self.survey.meant(item) if item is not None else None
        if scope is None:
            return ()
        found: list[str] = []
        for binding in scope.bound.get(node.id, ()):
            statement = binding.place.statement
            if isinstance(statement, _Import) and isinstance(binding.node, ast.alias):
                origin = self._origin(statement, binding.node)
                plain = isinstance(statement, ast.Import) and not binding.node.asname
                found.append(origin.partition(".")[0] if plain else origin)
            elif _try_of(binding.place) is None and binding.use != "definition":
                return ()
        return tuple(found) if any(name.partition(".")[0] == self.package for name in found) else ()

    def _chain(self, node: ast.Name, meant: Sequence[str]) -> Iterator[Use]:
        """The attributes that are read off a name, and what is called or asked for by its name there."""
        top: ast.expr = node
        parts: list[str] = []
        while isinstance(up := self.parents.get(id(top)), ast.Attribute):
            parts.append(up.attr)
            top = up
        up = self.parents.get(id(top))
        named = _named_attribute(up, top)
        path = [*parts, *([named] if named else [])]
        names = tuple(".".join([one, *path]) for one in meant)
        guarded = self._is_guarded(node, _ATTRIBUTES) or (named is not None and _has_default(up))
        safe = self._is_guarded(node, _CALLS)
        where = up if named and isinstance(up, ast.Call) else top
        called = isinstance(up, ast.Call) and up.func is top
        keywords = (
            tuple(word.arg for word in up.keywords if word.arg) if isinstance(up, ast.Call) and called else ()
        )
        if path or called:
            kind: Kind = "attribute" if path else "call"
            yield Use(
                self.document.path, self._span(where), kind, names[0], guarded, names[1:], keywords, safe
            )

    def _is_guarded(self, node: ast.AST, errors: frozenset[str]) -> bool:
        item: Occurrence | None = self.seen.get(id(node))
        return item is not None and _guarded(item.place, errors)

    # Strings and classes

    def _strings(self) -> Iterator[Use]:
        for node in self.nodes:
            value = node.value if isinstance(node, ast.Constant) else None
            if isinstance(value, str) and self._path.fullmatch(value):
                yield Use(self.document.path, self._span(node), "string", value)  # type: ignore[arg-type]

    def _subclasses(self) -> Iterator[Use]:
        """Methods that override those of a class of the engine, and the bases themselves."""
        for node in self.nodes:
            if not isinstance(node, ast.ClassDef):
                continue
            for base in node.bases:
                dotted = self.dotted_of(base)
                if dotted is None:
                    continue
                yield Use(self.document.path, self._span(base), "subclass", dotted)
                for part in node.body:
                    if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
                        yield Use(self.document.path, self._span(part), "method", f"{dotted}.{part.name}")

    def _span(self, node: ast.expr | ast.stmt | ast.alias) -> Span:
        lines = self.document.lines
        last, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return Span(node.lineno, lines.column(node.lineno, node.col_offset), last, lines.column(last, end))


def _named_attribute(call: ast.AST | None, node: ast.expr) -> str | None:
    """The name in `getattr(node, "name")` and its like, `patch.object(node, "name")` among them."""
    if not isinstance(call, ast.Call) or len(call.args) < 2 or call.args[0] is not node:
        return None
    function, name = call.func, call.args[1]
    last = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    by_name = last in _BY_NAME or (isinstance(function, ast.Attribute) and last == "object")
    return name.value if by_name and isinstance(name, ast.Constant) and isinstance(name.value, str) else None


def _has_default(call: ast.AST | None) -> bool:
    name = getattr(call.func, "id", "") if isinstance(call, ast.Call) else ""
    return name == "hasattr" or (name == "getattr" and isinstance(call, ast.Call) and len(call.args) > 2)


def _guarded(place: Place, errors: frozenset[str]) -> bool:
    """Whether a statement stands in a `try` that catches one of these errors."""
    for around in place.chain():
        owner = around.owner
        if isinstance(owner, ast.Try) and around.block is owner.body and _catches(owner.handlers, errors):
            return True
    return False


def _catches(handlers: Iterable[ast.ExceptHandler], errors: frozenset[str] = _IMPORTS) -> bool:
    for handler in handlers:
        types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        if any(one is None or _last(one) in errors for one in types):
            return True
    return False


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _try_of(place: Place) -> ast.Try | None:
    """The innermost `try` with such a handler that a statement stands in, whichever branch it is in."""
    for around in place.chain():
        owner = around.owner
        if isinstance(owner, ast.Try) and _catches(owner.handlers):
            return owner
        if isinstance(owner, ast.ExceptHandler) and around.above is not None:
            above = around.above.statement
            if isinstance(above, ast.Try) and _catches(above.handlers):
                return above
    return None
