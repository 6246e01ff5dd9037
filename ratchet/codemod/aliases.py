"""Names that a run leaves without a use (locals that stood for the record, imports), and what binds them."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from ratchet.codemod.imports import Imports
from ratchet.codemod.ranges import Placed, Ranges
from ratchet.codemod.removal import remove_statement
from ratchet.codemod.scopes import Occurrence, Place, Scope
from ratchet.codemod.splice import Splice
from ratchet.codemod.survey import Survey
from ratchet.frozen import dataclass, field
from ratchet.syntax.document import Document

_WATCHED = re.compile(r"\b(?:locals|eval|exec)\b|\b(?:vars|dir)\s*\(\s*\)")
_NOQA = re.compile(r"#.*\bnoqa\b(?!\s*:\s*(?!.*F401))", re.IGNORECASE)
Binding = tuple[Scope, str]


@dataclass(slots=True)
class Dead:
    """What is taken out: ranges of the text, aliases of imports by statement, and whole statements.

    `gone` are the ranges whose names count no more, `changes` the splices of statements that lose a part.
    `tried` are bindings that only an exception handler makes sense of, so that they cannot go.
    """

    gone: Ranges
    changes: list[Splice] = field(default_factory=list)
    tried: list[Binding] = field(default_factory=list)
    names: dict[int, tuple[Place, list[ast.alias]]] = field(default_factory=dict)
    statements: list[Place] = field(default_factory=list)


def find_dead(
    document: Document,
    imports: Imports,
    splices: Iterable[Splice],
    kept: Iterable[Binding],
    asked: Iterable[Binding] = (),
) -> Dead:
    """Return what is dead after `splices`, which take uses away; `kept` are bindings that gain a use.

    Only what lost a use here is looked at, and what is `asked` for: what was dead before stays.
    """
    dead = Dead(Ranges(splices))
    finder = _Finder(document, imports, dead, {(id(scope), name) for scope, name in kept})
    pending = [*finder.lost(dead.gone.parts), *asked]
    while pending:
        before = len(dead.gone.parts)
        for scope, name in pending:
            finder.judge(scope, name)
        pending = finder.lost(dead.gone.parts[before:])
    return dead


def is_record(node: ast.expr | None, imports: Imports, scope: Scope) -> bool:
    """Whether evaluating it does nothing: names, their attributes, accessors, and choices of them."""
    if isinstance(node, ast.Attribute):
        return is_record(node.value, imports, scope)
    if isinstance(node, ast.Call) and not node.keywords:
        dotted = _dotted(node.func, imports, scope)
        if dotted == "typing.cast":
            return all(is_record(part, imports, scope) for part in node.args)
        return not node.args and dotted in imports.style.accessors
    if isinstance(node, ast.IfExp | ast.BoolOp | ast.Compare):
        parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
        return all(is_record(part, imports, scope) for part in parts)
    return isinstance(node, ast.Name | ast.Constant)


def _dotted(node: ast.expr, imports: Imports, scope: Scope) -> str | None:
    """The dotted name that an expression stands for through the file's imports."""
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value, imports, scope)
        return f"{base}.{node.attr}" if base else None
    if not isinstance(node, ast.Name):
        return None
    owner = scope.look_up(node.id)
    found = {imports.bound_dotted(item) for item in owner.bound[node.id]} if owner else set()
    return found.pop() if len(found) == 1 else None


class _Finder:
    def __init__(self, document: Document, imports: Imports, dead: Dead, kept: set[tuple[int, str]]) -> None:
        self.document = document
        self.imports = imports
        self.survey: Survey = imports.survey
        self.dead = dead
        self.kept = kept
        self.uses = placed(document, self.survey, lambda item: item.use in ("load", "text"))

    def lost(self, gone: Iterable[Splice]) -> list[Binding]:
        """The bindings that lose a use in some ranges, each once, in the order of the survey."""
        found: dict[tuple[int, str], Binding] = {}
        for item in self.uses.within(gone):
            owner = self.survey.meant(item)
            if owner is not None and (id(owner), item.name) not in self.kept:
                found[id(owner), item.name] = (owner, item.name)
        return list(found.values())

    def _is_gone(self, item: Occurrence) -> bool:
        return goes(self.document, self.dead, item)

    def alive(self, scope: Scope, name: str) -> bool:
        """Whether a use of a binding is left."""
        return not all(self._is_gone(item) for item in self.survey.uses(name, scope))

    def judge(self, scope: Scope, name: str) -> None:
        """Take a binding's statements out where all of them can go and nothing uses it any more."""
        bindings = scope.bound.get(name, [])
        if self.alive(scope, name):
            self._drop_doubled(scope, name, bindings)
        elif any(item.use == "import" for item in bindings):
            self._judge_import(scope, name, bindings)
        elif bindings and scope.kind == "function" and not is_watched(self.document, scope):
            self._judge_local(scope, name, [item for item in bindings if not self._is_replaced(item)])

    def _judge_import(self, scope: Scope, name: str, bindings: Sequence[Occurrence]) -> None:
        tries = {id(place): place for item in bindings for place in _attempts(item)}
        if not tries and all(item.use == "import" for item in bindings):
            for item in bindings:
                self._drop_import(item)
        elif len(tries) == 1 and all(_imports_only(place, name) for place in tries.values()):
            self.dead.statements += tries.values()
        elif tries:
            self.dead.tried.append((scope, name))

    def _judge_local(self, scope: Scope, name: str, bindings: Sequence[Occurrence]) -> None:
        if any(item.use == "store" and _in_try(item.place, scope) for item in bindings):
            self.dead.tried.append((scope, name))
            return
        changes = [self._change(item) for item in bindings]
        if all(change is not None for change in changes):
            for change in changes:
                if change is not None:
                    change()

    def _is_replaced(self, item: Occurrence) -> bool:
        """Whether a binding stands in a text that goes anyway: a walrus in a record's expression."""
        return item.use == "store" and self._is_gone(item)

    # Imports

    def _drop_import(self, item: Occurrence) -> None:
        node, alias = item.place.statement, item.node
        assert isinstance(node, ast.Import | ast.ImportFrom)
        assert isinstance(alias, ast.alias)
        if is_kept_import(self.document, self.imports, item):
            return
        _, names = self.dead.names.setdefault(id(node), (item.place, []))
        if alias not in names:
            names.append(alias)

    def _drop_doubled(self, scope: Scope, name: str, bindings: Sequence[Occurrence]) -> None:
        """Drop an import that is repeated further down before anything uses it."""
        dotted = {self.imports.bound_dotted(item) for item in bindings}
        if len(bindings) == 1 or len(dotted) != 1 or None in dotted:
            return
        loads = (use for use in self.survey.uses(name, scope) if use.use == "load")
        lines = sorted(getattr(use.node, "lineno", 0) for use in loads if not self._is_gone(use))
        for item, again in pairwise(bindings):
            first, last = item.place.statement.lineno, again.place.statement.lineno
            used = bisect_left(lines, first) < bisect_left(lines, last + 1)
            if item.place.block is again.place.block and not used:
                self._drop_import(item)

    # Locals

    def _change(self, item: Occurrence) -> Callable[[], None] | None:
        """What takes a binding out, None where nothing may."""
        node, name = item.place.statement, item.node
        if item.use == "import":
            return lambda: self._drop_import(item)
        if isinstance(node, ast.Assign):
            return self._assigned(item, node)
        if isinstance(node, ast.AnnAssign) and node.target is name and node.value is not None:
            return self._whole(item, node.value)
        return self._walrus(item)

    def _whole(self, item: Occurrence, value: ast.expr) -> Callable[[], None] | None:
        if not is_record(value, self.imports, item.scope):
            return None
        return lambda: self._drop_statement(item.place)

    def _drop_statement(self, place: Place) -> None:
        self.dead.statements.append(place)
        node = place.statement
        self.dead.gone.add(Splice(self.document.start(node), self.document.end(node), ""))

    def _assigned(self, item: Occurrence, node: ast.Assign) -> Callable[[], None] | None:
        if node.targets == [item.node]:
            return self._whole(item, node.value)
        if item.node in node.targets:
            return self._one_target(item, node)
        target, value = node.targets[0], node.value
        if len(node.targets) == 1 and isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            return self._unpacked(item, target, value)
        return None

    def _one_target(self, item: Occurrence, node: ast.Assign) -> Callable[[], None] | None:
        """`a = sa = value`: the other targets stay, unless they went before."""
        if sum(self._goes(target) for target in node.targets) == len(node.targets) - 1:
            return self._whole(item, node.value)
        at = node.targets.index(item.node)  # type: ignore[arg-type]  # it is one of them
        behind = node.targets[at + 1] if at + 1 < len(node.targets) else node.value
        start = self.document.start(node.targets[at])
        end = start + self.document.text[start : self.document.start(behind)].index("=") + 1
        end += len(self.document.text[end:]) - len(self.document.text[end:].lstrip(" \t"))
        return lambda: self._drop(Splice(start, end, ""))

    def _unpacked(self, item: Occurrence, target: ast.Tuple, value: ast.Tuple) -> Callable[[], None] | None:
        """`sa, y = record(), 1`: the other pairs stay."""
        starred = any(isinstance(part, ast.Starred) for part in (*target.elts, *value.elts))
        if starred or len(target.elts) != len(value.elts) or len(target.elts) < 2:
            return None
        if item.node not in target.elts or any(self._goes(part) for part in target.elts):
            return None
        at = target.elts.index(item.node)
        if not is_record(value.elts[at], self.imports, item.scope):
            return None
        return lambda: self._drop(self._without(target, at), self._without(value, at))

    def _drop(self, *parts: Splice) -> None:
        self.dead.gone.add(*parts)
        self.dead.changes.extend(parts)

    def _goes(self, node: ast.expr) -> bool:
        return self.dead.gone.hold(self.document.start(node))

    def _without(self, pair: ast.Tuple, at: int) -> Splice:
        """Take one part out of a tuple; of two, what is left is no tuple any more."""
        document, parts = self.document, pair.elts
        if len(parts) == 2:
            kept = document.code(parts[1 - at])
            return Splice(document.start(pair), document.end(pair), kept)
        if at + 1 < len(parts):
            return Splice(document.start(parts[at]), document.start(parts[at + 1]), "")
        return Splice(document.end(parts[at - 1]), document.end(parts[at]), "")

    def _walrus(self, item: Occurrence) -> Callable[[], None] | None:
        """`(sa := value)`: the value stays."""
        for node in ast.walk(item.place.statement):
            if isinstance(node, ast.NamedExpr) and node.target is item.node:
                start, end = self.document.start(node), self.document.start(node.value)
                return lambda: self._drop(Splice(start, end, ""))
        return None


def may_die(document: Document, imports: Imports, scope: Scope, name: str) -> bool:
    """Whether a name that nothing uses has no business in a scope: an import, or a local that is a record."""
    bindings = scope.bound.get(name, ())
    if all(item.use == "import" for item in bindings):
        return True
    assigned = (
        isinstance(item.place.statement, ast.Assign | ast.AnnAssign)
        and item.use == "store"
        and is_record(item.place.statement.value, imports, item.scope)
        for item in bindings
    )
    return scope.kind == "function" and all(assigned) and not is_watched(document, scope)


def is_watched(document: Document, scope: Scope) -> bool:
    """Whether a function, or a module, looks at its names by other means than to write them."""
    if scope.watched is None:
        node = scope.node
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        code = document.code(node) if inside else document.text  # type: ignore[arg-type]
        scope.watched = _WATCHED.search(code) is not None
    return scope.watched


def is_kept_import(document: Document, imports: Imports, item: Occurrence) -> bool:
    """Whether an import is there for others, whoever uses it here: re-exported, marked, or for its effect."""
    node, alias = item.place.statement, item.node
    assert isinstance(alias, ast.alias)
    text = document.text[document.start(node) : document.line_end(document.end(node))]
    if alias.asname == alias.name or _NOQA.search(text):
        return True
    if isinstance(node, ast.Import) and not alias.asname and "." in alias.name:
        return len(item.scope.bound[item.name]) > 1
    exported = imports.style.exported(imports.module, item.name)
    return item.scope.kind != "function" and (imports.is_package or exported)


def _attempts(item: Occurrence) -> Iterator[Place]:
    """The `try` statements whose body or handlers are imports and little else, and hold a binding."""
    above = item.place.above
    if above is not None and isinstance(above.statement, ast.Try):
        tried = all(isinstance(node, ast.Import | ast.ImportFrom) for node in above.statement.body)
        if tried and above.statement.handlers:
            yield above


def _imports_only(place: Place, name: str) -> bool:
    """Whether a `try` does nothing but to import one name in several ways, or not at all."""
    node = place.statement
    assert isinstance(node, ast.Try)
    parts = [*node.body, *node.orelse, *node.finalbody]
    parts += [part for handler in node.handlers for part in handler.body]
    return all(
        isinstance(part, ast.Pass)
        or (
            isinstance(part, ast.ImportFrom)
            and [alias.asname or alias.name for alias in part.names] == [name]
        )
        for part in parts
    )


def _in_try(place: Place, scope: Scope) -> bool:
    """Whether a statement stands where its own scope catches an exception: it may well fail."""
    for part in place.chain():
        if part.statement is scope.node:
            return False
        if isinstance(part.owner, ast.Try) and part.block is part.owner.body and part.owner.handlers:
            return True
    return False


def removals(document: Document, dead: Dead) -> Iterator[Splice]:
    """The splices of whole statements that go, imports left without names among them."""
    gone = frozenset(id(place.statement) for place in dead.statements)
    for place in dead.statements:
        yield remove_statement(document, place, gone)


def goes(document: Document, dead: Dead, item: Occurrence) -> bool:
    """Whether a name stands in what goes; a statement that declares it stays."""
    return isinstance(item.node, ast.Name | ast.Constant) and dead.gone.hold(document.start(item.node))


def placed(document: Document, survey: Survey, wanted: Callable[[Occurrence], bool]) -> Placed[Occurrence]:
    """The wanted ones of the names and texts of a survey, by where they stand."""
    items = (item for found in survey.occurrences.values() for item in found if wanted(item))
    return Placed(
        (document.start(item.node), item) for item in items if isinstance(item.node, ast.Name | ast.Constant)
    )
