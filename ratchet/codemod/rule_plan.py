"""The sites of a rule that has a codemod of its own: each becomes an edit, or stays for a reason."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from ratchet.codemod.model import Accessor, Edit, Refusal, Skip
from ratchet.codemod.patched import Texts
from ratchet.codemod.rule_file import RuleFile, place_of, shadowed
from ratchet.codemod.rule_imports import import_edits, names_of
from ratchet.codemod.scopes import Scope
from ratchet.codemod.survey import Found
from ratchet.codemod.template import (
    Template,
    call_template,
    conditional_holes,
    fill,
    holes_in,
    template_of,
)
from ratchet.frozen import dataclass
from ratchet.matching.engines import engine_applies
from ratchet.matching.pattern import HOLE, Snippet, compile_pattern
from ratchet.matching.rewrites import Code, names_bound
from ratchet.matching.snippets import filled_by
from ratchet.matching.unify import DOTS, Filled
from ratchet.model import Codemod, PatternMatch, Rule, Site, Span
from ratchet.syntax.document import Document

_PLACES = (ast.Attribute, ast.Subscript)
_EFFECTS = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
IN_TEXT = Refusal("uncertain-text", "it stands inside of an f-string")
_NO_IMPORT = Accessor("", "")
Refuse = Callable[[str, str], Refusal | None]
"""Whether something keeps all sites of a path and scope where they are: a boundary of the pack."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A site's code, what becomes of it, and the nodes that stay in it, by hole."""

    node: Code
    scope: Scope
    template: Template
    held: Mapping[str, tuple[ast.expr | ast.keyword, ...]]
    own: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    conditional: frozenset[str] = frozenset()


class RulePlanner:
    """Plans the sites of one rule, file by file.

    What a rule replaces in some versions only needs the `engine`: where that is not known, it stays. `texts`
    are the names that are spelled out somewhere in the tree, and so may be replaced when the code runs.
    """

    def __init__(
        self,
        rule: Rule,
        package: str,
        refuse: Refuse,
        engine: str | None = None,
        texts: Texts | None = None,
    ) -> None:
        self.rule = rule
        self.package = package
        self.refuse = refuse
        self.texts: Texts = texts or {}
        self._snippets: tuple[Snippet, ...] = ()
        match, own = rule.match, rule.own_codemod
        if isinstance(match, PatternMatch) and match.rewrite is not None:
            self._snippets = tuple(compile_pattern(snippet, match.where) for snippet in match.patterns)
            self._template = template_of(match.rewrite, own.imports if own else ())
        self._calls = tuple(
            (_glob(name), call_template(text))
            for name, text in (_replacements(own, engine) if own is not None else ())
        )
        self._own_name = own is not None and own.own_name

    def plan(self, document: Document, sites: Sequence[Site]) -> tuple[list[Edit], list[Skip]]:
        """The edits and skips of a file's sites, in order of position."""
        ids = dict(zip(sites, _ids(sites), strict=True))
        file = RuleFile(document, self.package, [site.span for site in sites], self._words(), self.texts)
        if self._own_name or self.texts:
            file.look_for([*names_of(file.survey), *_called_names(file)])
        imports = [site for site in sites if site.span in file.survey.aliases]
        found = {site: self._find(file, site) for site in sites if site not in imports}
        known = {site: one for site, one in found.items() if isinstance(one, _Found)}
        made: dict[Span, Edit] = {}
        skips: list[Skip] = []
        for site in imports:
            edits = self._import(file, site, ids[site])
            if isinstance(edits, Refusal):
                skips.append(_skip(site, ids[site], edits))
            else:
                made |= {edit.span: edit for edit in edits}
        for site in sorted(found, key=_inside_out):
            one = found[site]
            edit = one if isinstance(one, Refusal) else self._edit(file, site, known[site], ids[site], made)
            if isinstance(edit, Refusal):
                skips.append(_skip(site, ids[site], edit))
            else:
                made[site.span] = edit
        file.survey.forget()
        return sorted(made.values(), key=place_of), sorted(skips, key=place_of)

    def _words(self) -> set[str]:
        templates = [template for _, template in self._calls]
        templates += [self._template] if self._snippets else []
        words = {name for template in templates for name in template.free}
        return words | {word for snippet in self._snippets for word in snippet.words}

    def _import(self, file: RuleFile, site: Site, id: str) -> Sequence[Edit] | Refusal:
        refusal = self.refuse(site.path, site.scope)
        return refusal or import_edits(file, site, id, self._own_name)

    # What stands at a site

    def _find(self, file: RuleFile, site: Site) -> _Found | Refusal:
        refusal = self.refuse(site.path, site.scope)
        if refusal is not None:
            return refusal
        places = file.survey.found.get(site.span, ())
        if any(isinstance(part, ast.JoinedStr) for place in places for part in place.parents):
            return IN_TEXT
        for place in places:
            for snippet in self._snippets:
                filled = filled_by(snippet, place.node)
                if filled is not None:
                    held = _held(filled)
                    found = _Found(place.node, place.scope, self._template, held, *_names_of(snippet))
                    return _unfit(found, place) or found
        for place in places if self._calls else ():
            if isinstance(place.node, ast.Call):
                return self._called(file, place.node, place.scope)
        if any(isinstance(place.node, ast.JoinedStr) for place in places):
            return IN_TEXT  # before Python 3.12 it stands for its parts
        return Refusal("unsupported-form", f"`{site.code}` is no code that can be replaced")

    def _called(self, file: RuleFile, node: ast.Call, scope: Scope) -> _Found | Refusal:
        dotted = file.dotted(node)
        given_for = {
            name: [template for glob, template in self._calls if glob.fullmatch(name) is not None]
            for name in sorted(dotted)
        }
        lacking = ", ".join(name for name, templates in given_for.items() if not templates)
        if lacking and any(given_for.values()):
            return Refusal("mixed-origin", f"what is called may be {lacking} too, which is not replaced")
        if lacking:
            return Refusal("unsupported-form", f"the rule gives no replacement for {lacking}")
        found = {template for templates in given_for.values() for template in templates}
        if len(found) != 1:
            return Refusal(
                "unsupported-form", f"the rule gives several replacements for {', '.join(given_for)}"
            )
        func = node.func
        name = func.id if isinstance(func, ast.Name) else ""
        refusal = file.replaced(scope, name, dotted)
        if refusal is not None:
            return refusal
        template = found.pop()
        given: tuple[ast.expr | ast.keyword, ...] = (*node.args, *node.keywords)
        if given and DOTS not in holes_in(template):
            return Refusal("unsupported-form", "the call is given arguments, and its replacement takes none")
        return _Found(node, scope, template, {DOTS: given} if DOTS in holes_in(template) else {})

    # What becomes of it

    def _edit(
        self, file: RuleFile, site: Site, found: _Found, id: str, made: Mapping[Span, Edit]
    ) -> Edit | Refusal:
        inner = [edit for span, edit in made.items() if _holds(site.span, span) and span != site.span]
        refusal = shadowed(found.scope, found.own, found.template.free) or _effects(found)
        if refusal is not None:
            return refusal
        pieces = {name: file.piece(name, nodes, inner) for name, nodes in found.held.items()}
        kept = [range for name in pieces for range in file.ranges(found.held[name])]
        if file.has_comment(found.node, kept):
            return Refusal("comment-inside", "a comment stands in the text that would be replaced")
        used = set(holes_in(found.template))
        filled = {name: piece for name, piece in pieces.items() if piece is not None and name in used}
        after = fill(found.template, filled) if used <= filled.keys() else None
        if after is None:
            return Refusal("uncertain-text", "what stands in its holes cannot be put together for certain")
        refusal = _rebound(found, after)
        if refusal is not None:
            return refusal
        within = [edit for edit in inner if any(file.holds(part, edit) for part in kept)]
        uses = (*found.template.accessors, *(item for edit in within for item in edit.uses or ()))
        attribute = found.node.attr if isinstance(found.node, ast.Attribute) else ""
        return Edit(
            id, site.path, site.span, site.scope, "call", "mixed", attribute, self.rule.id,
            file.document.code(found.node), after, uses[0] if uses else _NO_IMPORT,
            uses=tuple(dict.fromkeys(uses)), kept=tuple(kept),
        )  # fmt: skip


def stays(sites: Sequence[Site], refusal: Refusal) -> tuple[Skip, ...]:
    """The skips of sites that are all refused alike."""
    return tuple(_skip(site, id, refusal) for site, id in zip(sites, _ids(sites), strict=True))


def _called_names(file: RuleFile) -> Iterator[str]:
    """The names that are called at the sites of a file."""
    for places in file.survey.found.values():
        for place in places:
            if isinstance(place.node, ast.Call) and isinstance(place.node.func, ast.Name):
                yield place.node.func.id


def _unfit(found: _Found, place: Found) -> Refusal | None:
    """Refuse a place in which the code that is to stand there cannot stand."""
    node, code = found.node, found.template.code
    if isinstance(node, ast.Assign) and len(node.targets) > 1:
        return Refusal("unsupported-form", "it assigns one value to several targets")
    if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and not (
        isinstance(node, _PLACES) and isinstance(code, _PLACES)
    ):
        return Refusal("binding-inside", "it is stored to or deleted, which its replacement cannot be")
    whole = isinstance(place.place.statement, ast.Expr) and not place.parents
    if isinstance(code, ast.stmt) and isinstance(node, ast.expr) and not whole:
        return Refusal("not-a-statement", "it is a part of a statement, and a statement is to stand there")
    if isinstance(code, ast.Return) and place.scope.kind != "function":
        return Refusal("unsupported-form", "no function is around it to return from")
    if any(isinstance(part, ast.Await) for part in ast.walk(code)) and not _awaits(place.scope):
        return Refusal("unsupported-form", "no `async` function is around it to await in")
    return None


def _awaits(scope: Scope | None) -> bool:
    while scope is not None and scope.kind == "comprehension":
        scope = scope.parent
    return scope is not None and isinstance(scope.node, ast.AsyncFunctionDef)


def _rebound(found: _Found, after: str) -> Refusal | None:
    """Refuse a statement that would bind other names than before: they may mean something else then."""
    if isinstance(found.node, ast.expr) and isinstance(found.template.code, ast.expr):
        return None  # what an expression binds is an effect
    before, now = names_bound(found.node), names_bound(ast.parse(after))
    for name in sorted(before - now):
        detail = f"the statement binds `{name}`, and what takes its place would not"
        return Refusal("binding-inside", detail)
    for name in sorted(now - before):
        return Refusal("binding-inside", f"what takes its place would bind `{name}`")
    return None


def _held(filled: Filled) -> Mapping[str, tuple[ast.expr | ast.keyword, ...]]:
    return {
        name: tuple(node for node in held.nodes if isinstance(node, ast.expr | ast.keyword))
        for name, held in filled.items()
    }


def _names_of(snippet: Snippet) -> tuple[tuple[str, ...], tuple[str, ...], frozenset[str]]:
    """The names that a pattern itself uses; its holes that stand in it more than once, or conditionally."""
    names = [node.id for part in snippet.statements for node in ast.walk(part) if isinstance(node, ast.Name)]
    own = tuple(name for name in names if not name.startswith((HOLE, "_rest_")))
    holes = [name.removeprefix(HOLE) for name in names if name.startswith(HOLE)]
    conditional = {name for part in snippet.statements for name in conditional_holes(part)}
    return own, tuple(sorted({name for name in holes if holes.count(name) > 1})), frozenset(conditional)


def _effects(found: _Found) -> Refusal | None:
    """Refuse where something that has an effect would happen more often, less often, or in another order."""
    value = found.node.value if isinstance(found.node, ast.Assign | ast.AnnAssign) else None
    first = {id(part) for part in ast.walk(value)} if value is not None else set()
    order = [
        (min((id(node) not in first, node.lineno, node.col_offset) for node in nodes), name)
        for name, nodes in found.held.items()
        if nodes and any(isinstance(part, _EFFECTS) for node in nodes for part in ast.walk(node))
    ]
    before = [name for _, name in sorted(order)]
    if set(before) & set(found.repeated):
        return Refusal("unsupported-form", "what stands twice in the pattern may have an effect each time")
    moved = set(before) & (found.conditional ^ set(conditional_holes(found.template.code)))
    if moved:
        detail = (
            f"what stands in `{_shown(min(moved))}` may have an effect, and comes under another condition"
        )
        return Refusal("unsupported-form", detail)
    after = [name for name in holes_in(found.template) if name in before]
    if before == after:
        return _crossed(found, first, frozenset(before))
    odd = next((name for name in before if after.count(name) != 1), before[0])
    what = {0: "is left out", 1: "comes in another order"}.get(after.count(odd), "is repeated")
    return Refusal("unsupported-form", f"what stands in `{_shown(odd)}` may have an effect, and {what}")


def _crossed(found: _Found, first: Collection[int], effects: frozenset[str]) -> Refusal | None:
    """Refuse where something is read before an effect that was read after it, or the other way round."""
    parts = [part for nodes in found.held.values() for node in nodes for part in ast.walk(node)]
    bound = {part.target.id for part in parts if isinstance(part, ast.NamedExpr)}
    places = {
        name: min((id(node) not in first, node.lineno, node.col_offset) for node in nodes)
        for name, nodes in found.held.items()
        if not all(_is_still(part, bound) for node in nodes for part in ast.walk(node))
    }
    after = [name for name in holes_in(found.template) if name in places]
    for at, name in enumerate(after):
        for other in after[at + 1 :]:
            if places[other] < places[name] and {name, other} & effects:
                detail = f"what stands in `{_shown(name)}` and `{_shown(other)}` comes in another order"
                return Refusal("unsupported-form", f"{detail}, and may have an effect")
    return None


def _is_still(part: ast.AST, bound: Collection[str]) -> bool:
    """Whether no effect changes what this gives: a name, unless it is `bound`, or what is written out."""
    if isinstance(part, ast.Name):
        return part.id not in bound
    return isinstance(part, ast.Constant | ast.Tuple | ast.List | ast.keyword | ast.expr_context)


def _shown(hole: str) -> str:
    return "..." if hole == DOTS else f"${hole}"


def _replacements(own: Codemod, engine: str | None) -> Iterator[tuple[str, str]]:
    """The replacements for an engine version, by the names of what they replace."""
    yield from own.replace
    for specifier, group in own.versioned if engine is not None else ():
        yield from group if engine_applies(specifier, engine) else ()


def _glob(name: str) -> re.Pattern[str]:
    return re.compile(re.escape(name).replace(r"\*", ".*"))


def _ids(sites: Sequence[Site]) -> Iterator[str]:
    seen: dict[tuple[str, str, str], int] = {}
    for site in sites:
        count = seen[site.key] = seen.get(site.key, 0) + 1
        text = "\0".join((site.rule, *site.key, str(count)))
        yield hashlib.sha256(text.encode()).hexdigest()[:10]


def _skip(site: Site, id: str, refusal: Refusal) -> Skip:
    return Skip(
        id, site.path, site.span, site.scope, "call", "mixed", "", site.rule,
        site.code, refusal.reason, refusal.detail,
    )  # fmt: skip


def _inside_out(site: Site) -> tuple[int, int, int, int]:
    span = site.span
    return (span.end_line, span.end_column, -span.line, -span.column)


def _holds(outer: Span, inner: Span) -> bool:
    start, end = (outer.line, outer.column), (outer.end_line, outer.end_column)
    return start <= (inner.line, inner.column) and (inner.end_line, inner.end_column) <= end
