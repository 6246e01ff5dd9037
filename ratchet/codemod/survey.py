"""One walk over the statements of a file that matter: where names are bound and used, where sites stand.

Statements without a line of interest are passed over, so that the walk costs what changes and not what is
there. Scopes are those of Python; what a name stands for is looked up when all of its bindings are known.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ratchet.analysis.lines import holds_line
from ratchet.codemod.scopes import BINDING, Occurrence, Owner, Place, Scope, ScopeKind, Use
from ratchet.codemod.signatures import all_arguments, evaluated
from ratchet.codemod.words import lines_with
from ratchet.frozen import dataclass, field
from ratchet.model import Span
from ratchet.syntax.document import Document

_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete, ast.Assert, ast.Raise, ast.Return)
_BLANK = re.compile(r"\s")
_WORD = re.compile(r"\w+")
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_TYPE_PARAMETERS = ("TypeVar", "ParamSpec", "TypeVarTuple")  # none of them before Python 3.12
_NAMING = (
    *(ast.MatchAs, ast.MatchStar, ast.MatchMapping),
    *(vars(ast)[name] for name in _TYPE_PARAMETERS if name in vars(ast)),
)
_PARTS = {
    kind: tuple(name for name in kind._fields if name not in ("ctx", "op", "ops", "id", "attr"))
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
"""The fields of each kind of node in which names may be."""

_TEXTS = 0
_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")


@dataclass(frozen=True, slots=True, eq=False)
class Imported:
    """An import statement: its place, and the scope that it binds names in."""

    node: ast.Import | ast.ImportFrom
    scope: Scope
    place: Place

    @property
    def for_types(self) -> bool:
        """Whether it stands under `if TYPE_CHECKING:`, and so does not happen when the code runs."""
        return any(
            isinstance(place.owner, ast.If)
            and place.block is place.owner.body
            and _last_name(place.owner.test) == "TYPE_CHECKING"
            for place in self.place.chain()
        )


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Code that was looked for, with its scope and the nodes around it up to its statement.

    A statement is found by itself; one that is an expression is found as that.
    """

    node: ast.expr | ast.stmt
    scope: Scope
    place: Place
    parents: tuple[ast.AST, ...]


@dataclass(slots=True)
class Survey:
    """What a walk saw: where some words occur, what stands at some spans, and the imports on its way.

    `aliases` are the names in import statements that stand at one of the spans.
    """

    words: frozenset[str]
    module: Scope
    occurrences: dict[str, list[Occurrence]] = field(default_factory=dict)
    found: dict[Span, list[Found]] = field(default_factory=dict)
    imports: list[Imported] = field(default_factory=list)
    aliases: dict[Span, Occurrence] = field(default_factory=dict)
    scopes: list[Scope] = field(default_factory=list)
    _meaning: dict[str, dict[int, list[Occurrence]]] = field(default_factory=dict)

    def forget(self) -> None:
        """Let go of a file whose survey is over: its scopes and their names hold each other, and its tree."""
        self._meaning.clear()
        for scope in self.scopes:
            scope.bound.clear()

    def of(self, name: str) -> Sequence[Occurrence]:
        """The occurrences of a word, in the order of the walk."""
        return self.occurrences.get(name, ())

    def uses(self, name: str, scope: Scope) -> Iterator[Occurrence]:
        """The occurrences that keep the binding of `name` in `scope` alive."""
        yield from (item for item in self.meaning(name, scope) if item.use not in (*BINDING, "text"))
        yield from self._by_meaning(name)[_TEXTS]

    def meaning(self, name: str, scope: Scope) -> Sequence[Occurrence]:
        """The occurrences of `name` that mean the binding in `scope`, those that bind it included."""
        return self._by_meaning(name).get(id(scope), ())

    def _by_meaning(self, name: str) -> Mapping[int, Sequence[Occurrence]]:
        """The occurrences of a name by the scope that each means, and once more those in texts."""
        known = self._meaning.get(name)
        if known is None:
            known = self._meaning[name] = {_TEXTS: []}
            for item in self.of(name):
                known.setdefault(id(self.meant(item)), []).append(item)
                if item.use == "text":
                    known[_TEXTS].append(item)
        return known

    def meant(self, item: Occurrence) -> Scope | None:
        """The scope whose binding an occurrence means."""
        return item.scope.look_up(item.name)


class LeftOut(Exception):
    """Some of the `words` that are looked for stand in what the tree of a document leaves out."""

    def __init__(self, words: frozenset[str]) -> None:
        super().__init__(words)
        self.words = words


def survey(document: Document, words: Iterable[str], spans: Iterable[Span] = ()) -> Survey:
    """Return where `words` occur and what stands at `spans`, in the statements whose lines hold one.

    Raises LeftOut where the tree of the document leaves such a statement out.
    """
    words, spans = frozenset(words), frozenset(spans)
    ends = {line for span in spans for line in (span.line, span.end_line)}
    lines = sorted(ends | lines_with(document.lines, words))
    if any(document.lines.within(lines, *gap) for gap in document.gaps.values()):
        raise LeftOut(words)
    scope = Scope("module", document.tree, None, None)
    walk = _Walk(document, Survey(words, scope), lines, spans)
    walk.block(document.tree.body, document.tree, None, scope)
    return walk.survey


class _Walk:
    def __init__(
        self, document: Document, survey: Survey, lines: Sequence[int], spans: frozenset[Span]
    ) -> None:
        self.document = document
        self.survey = survey
        self.lines = lines
        self.spans = spans
        self.survey.scopes.append(survey.module)
        self.starts = {span.line for span in spans}
        self.parents: list[ast.AST] = []

    # Statements

    def block(self, block: Sequence[ast.stmt], owner: Owner, above: Place | None, scope: Scope) -> None:
        for statement in block:
            if holds_line(statement, self.lines):
                self.statement(Place(statement, block, owner, above), scope)

    def statement(self, place: Place, scope: Scope) -> None:
        node = place.statement
        if self.starts and isinstance(node, _SIMPLE) and node.lineno in self.starts:
            span = self.document.span(node)
            if span in self.spans:
                self.survey.found.setdefault(span, []).append(Found(node, scope, place, ()))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self._definition(node, place, scope)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self._imports(node, place, scope)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            for name in node.names:
                scope.elsewhere[name] = "global" if isinstance(node, ast.Global) else "nonlocal"
                self._note(name, "declared", node, scope, place)
        else:
            self._parts(node, place, scope)

    def _parts(self, node: ast.AST, place: Place, scope: Scope) -> None:
        """The expressions and blocks of a compound statement, or of one of its branches."""
        for name, value in ast.iter_fields(node):
            if name in _BLOCKS and isinstance(value, list):
                owner = node
                if name in ("handlers", "cases"):
                    for branch in value:
                        self._parts(branch, place, scope)
                else:
                    assert isinstance(owner, Owner)
                    self.block(value, owner, place, scope)
            elif isinstance(value, list):
                for part in value:
                    if isinstance(part, ast.AST):
                        self.expression(part, place, scope)
            elif isinstance(value, ast.AST):
                self.expression(value, place, scope)
            elif name == "name" and value is not None:  # except ... as name
                self._note(value, "store", node, scope, place)

    def _definition(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, place: Place, scope: Scope
    ) -> None:
        self._note(node.name, "definition", node, scope, place)
        is_class = isinstance(node, ast.ClassDef)
        parameters = getattr(node, "type_params", ())
        if is_class and parameters:  # unlike the names of the class they are seen in its methods
            scope = self._scope("lambda", node, scope, place)
        inner = self._scope("class" if is_class else "function", node, scope, place)
        outside = [*node.decorator_list]
        if isinstance(node, ast.ClassDef):
            outside += [*node.bases, *(keyword.value for keyword in node.keywords)]
        else:
            outside += evaluated(node.args, node.returns)
            self._parameters(node.args, inner, place)
        for part in outside:
            self.expression(part, place, scope)
        for part in parameters:
            self.expression(part, place, scope if is_class else inner)
        self.block(node.body, node, place, inner)

    def _scope(self, kind: ScopeKind, node: ast.AST, parent: Scope, place: Place) -> Scope:
        scope = Scope(kind, node, parent, place)
        self.survey.scopes.append(scope)
        return scope

    def _parameters(self, arguments: ast.arguments, scope: Scope, place: Place) -> None:
        for argument in all_arguments(arguments):
            self._note(argument.arg, "parameter", argument, scope, place)

    def _imports(self, node: ast.Import | ast.ImportFrom, place: Place, scope: Scope) -> None:
        self.survey.imports.append(Imported(node, scope, place))
        for alias in node.names:
            bound = (alias.asname or alias.name).partition(".")[0]
            if alias.lineno in self.starts:
                span = self.document.span(alias)
                if span in self.spans:
                    self.survey.aliases[span] = Occurrence(bound, "import", alias, scope, place)
            self._note(bound, "import", alias, scope, place)

    # Expressions

    def expression(self, node: ast.AST, place: Place, scope: Scope) -> None:
        if self.starts and isinstance(node, ast.expr) and node.lineno in self.starts:
            span = self.document.span(node)
            if span in self.spans:
                self.survey.found.setdefault(span, []).append(Found(node, scope, place, (*self.parents,)))
        if isinstance(node, ast.Name):
            if node.id in self.survey.words:
                self._name(node, place, scope)
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                self._text(node, node.value, place, scope)
        else:
            self._inside(node, place, scope)

    def _inside(self, node: ast.AST, place: Place, scope: Scope) -> None:
        self.parents.append(node)
        if isinstance(node, ast.Lambda):
            self._lambda(node, place, scope)
        elif isinstance(node, _COMPREHENSIONS):
            self._comprehension(node, place, scope)
        else:
            if isinstance(node, _NAMING):
                self._named(node, place, scope)
            for name in _PARTS[type(node)]:
                part = getattr(node, name, None)
                if isinstance(part, list):
                    for child in part:
                        if isinstance(child, ast.AST):
                            self.expression(child, place, scope)
                elif isinstance(part, ast.AST):
                    self.expression(part, place, scope)
        self.parents.pop()

    def _name(self, node: ast.Name, place: Place, scope: Scope) -> None:
        use: Use = "load" if isinstance(node.ctx, ast.Load) else "store"
        if isinstance(node.ctx, ast.Del):
            use = "delete"
        walrus = use == "store" and self.parents and isinstance(self.parents[-1], ast.NamedExpr)
        while walrus and scope.kind == "comprehension" and scope.parent:
            scope = scope.parent
        self._note(node.id, use, node, scope, place)

    def _named(self, node: ast.AST, place: Place, scope: Scope) -> None:
        """A pattern that binds a name, or the parameter of a type."""
        name = node.rest if isinstance(node, ast.MatchMapping) else getattr(node, "name", None)
        self._note(name or "", "store", node, scope, place)

    def _text(self, node: ast.Constant, value: str, place: Place, scope: Scope) -> None:
        """A name in a string: in `__all__`, in an annotation, in a path to be patched."""
        printed = bool(self.parents) and isinstance(self.parents[-1], ast.JoinedStr)
        if not printed and len(value) < 200 and not _BLANK.search(value):
            for word in self.survey.words.intersection(_WORD.findall(value)):
                self._note(word, "text", node, scope, place)

    def _lambda(self, node: ast.Lambda, place: Place, scope: Scope) -> None:
        for part in evaluated(node.args, None):
            self.expression(part, place, scope)
        inner = self._scope("lambda", node, scope, place)
        self._parameters(node.args, inner, place)
        self.expression(node.body, place, inner)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, place: Place, scope: Scope
    ) -> None:
        self.expression(node.generators[0].iter, place, scope)
        inner = self._scope("comprehension", node, scope, place)
        for number, generator in enumerate(node.generators):
            parts = [generator.target, *generator.ifs, *([generator.iter] if number else [])]
            for part in parts:
                self.expression(part, place, inner)
        results = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        for part in results:
            self.expression(part, place, inner)

    def _note(self, name: str, use: Use, node: ast.AST, scope: Scope, place: Place) -> None:
        if name not in self.survey.words:
            return
        item = Occurrence(name, use, node, scope, place)
        self.survey.occurrences.setdefault(name, []).append(item)
        binds = use in BINDING or use == "delete"  # what is deleted in a scope is that scope's
        if binds and name not in scope.elsewhere:
            scope.bound.setdefault(name, []).append(item)
        elif binds:
            owner = scope.look_up(name)
            if owner is not None:
                owner.bound.setdefault(name, []).append(item)


def _last_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
