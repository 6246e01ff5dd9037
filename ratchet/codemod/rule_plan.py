"""The sites of a rule that has a codemod of its own: each becomes an edit, or stays for a reason."""

from __future__ import annotations

import ast
import builtins
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ratchet.analysis.lines import Hits
from ratchet.analysis.modules import module_name
from ratchet.codemod.model import Accessor, Edit, Refusal, Skip
from ratchet.codemod.survey import Found, Scope, Survey, survey
from ratchet.codemod.template import (
    Piece,
    Template,
    call_template,
    conditional_holes,
    fill,
    holes_in,
    same_code,
    template_of,
)
from ratchet.frozen import dataclass
from ratchet.matching.names import Names
from ratchet.matching.pattern import HOLE, Snippet, compile_pattern
from ratchet.matching.rewrites import Code, names_bound
from ratchet.matching.snippets import filled_by
from ratchet.matching.unify import DOTS, Filled
from ratchet.matching.visit import Visit, visit
from ratchet.model import PatternMatch, Rule, Site, Span
from ratchet.syntax.document import Document

_EFFECTS = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
IN_TEXT = Refusal("uncertain-text", "it stands inside of an f-string")
_NO_IMPORT = Accessor("", "")
Refuse = Callable[[str, str], Refusal | None]
"""Whether something keeps all sites of a path and scope where they are: a boundary of the pack."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A site's expression, what becomes of it, and the nodes that stay in it, by hole."""

    node: Code
    template: Template
    held: Mapping[str, tuple[ast.expr | ast.keyword, ...]]
    own: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    conditional: frozenset[str] = frozenset()


class RulePlanner:
    """Plans the sites of one rule, file by file."""

    def __init__(self, rule: Rule, package: str, refuse: Refuse) -> None:
        self.rule = rule
        self.package = package
        self.refuse = refuse
        self._snippets: tuple[Snippet, ...] = ()
        match, own = rule.match, rule.own_codemod
        if isinstance(match, PatternMatch) and match.rewrite is not None:
            self._snippets = tuple(compile_pattern(snippet, match.where) for snippet in match.patterns)
            self._template = template_of(match.rewrite, own.imports if own else ())
        self._calls = tuple(
            (_glob(name), call_template(text)) for name, text in (own.replace if own is not None else ())
        )

    def plan(self, document: Document, sites: Sequence[Site]) -> tuple[list[Edit], list[Skip]]:
        """The edits and skips of a file's sites, in order of position."""
        ids = dict(zip(sites, _ids(sites), strict=True))
        file = _File(document, self.package, [site.span for site in sites], self._words())
        found = {site: self._find(file, site) for site in sites}
        known = {site: one for site, one in found.items() if isinstance(one, _Found)}
        made: dict[Span, Edit] = {}
        skips: list[Skip] = []
        for site in sorted(sites, key=_inside_out):
            one = found[site]
            edit = one if isinstance(one, Refusal) else self._edit(file, site, known[site], ids[site], made)
            if isinstance(edit, Refusal):
                skips.append(_skip(site, ids[site], edit))
            else:
                made[site.span] = edit
        return sorted(made.values(), key=_place), sorted(skips, key=_place)

    def _words(self) -> set[str]:
        templates = [template for _, template in self._calls]
        templates += [self._template] if self._snippets else []
        words = {name for template in templates for name in template.free}
        return words | {word for snippet in self._snippets for word in snippet.words}

    # What stands at a site

    def _find(self, file: _File, site: Site) -> _Found | Refusal:
        refusal = self.refuse(site.path, site.scope)
        if refusal is not None:
            return refusal
        places = file.survey.found.get(site.span, ())
        if any(isinstance(part, ast.JoinedStr) for place in places for part in place.parents):
            return IN_TEXT
        nodes = [place.node for place in places]
        for node in nodes:
            for snippet in self._snippets:
                filled = filled_by(snippet, node)
                if filled is not None:
                    found = _Found(node, self._template, _held(filled), *_names_of(snippet))
                    return _unfit(found, next(place for place in places if place.node is node)) or found
        for node in nodes if self._calls else ():
            if isinstance(node, ast.Call):
                return self._called(file, node)
        if any(isinstance(node, ast.JoinedStr) for node in nodes):  # it stands for its parts before 3.12
            return IN_TEXT
        return Refusal("unsupported-form", f"`{site.code}` is no code that can be replaced")

    def _called(self, file: _File, node: ast.Call) -> _Found | Refusal:
        dotted = file.dotted(node)
        found = {
            template for name in dotted for glob, template in self._calls if glob.fullmatch(name) is not None
        }
        if len(found) != 1:
            many = "several replacements" if found else "no replacement"
            return Refusal("unsupported-form", f"the rule gives {many} for {', '.join(sorted(dotted))}")
        template = found.pop()
        given: tuple[ast.expr | ast.keyword, ...] = (*node.args, *node.keywords)
        if given and DOTS not in holes_in(template):
            return Refusal("unsupported-form", "the call is given arguments, and its replacement takes none")
        return _Found(node, template, {DOTS: given} if DOTS in holes_in(template) else {})

    # What becomes of it

    def _edit(
        self, file: _File, site: Site, found: _Found, id: str, made: Mapping[Span, Edit]
    ) -> Edit | Refusal:
        inner = [edit for span, edit in made.items() if _holds(site.span, span) and span != site.span]
        refusal = file.shadowed(site.span, found) or _effects(found)
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
        within = [edit for edit in inner if any(_offsets_hold(file, part, edit) for part in kept)]
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


class _File:
    """One file of a plan: its names and the places of its sites."""

    def __init__(self, document: Document, package: str, spans: Sequence[Span], words: Iterable[str]) -> None:
        self.document = document
        self._package = package
        self.survey: Survey = survey(document, words, spans)
        self._visits: dict[Span, Visit] | None = None

    def dotted(self, node: ast.Call) -> frozenset[str]:
        """What a call's function may be, through the file's imports."""
        if self._visits is None:
            hits = Hits(self.document.lines, set(), everything=True)
            nodes = (found for found in visit(self.document.tree, hits) if isinstance(found.node, ast.Call))
            self._visits = {self.document.lines.span(found.node): found for found in nodes}  # type: ignore[arg-type]
        found = self._visits[self.document.lines.span(node)]
        names = Names(*module_name(self._package, self.document.path), self.document.text)
        return names.dotted(node.func, found.place)

    def shadowed(self, span: Span, found: _Found) -> Refusal | None:
        """Refuse names that mean something else at a site than the rule takes them for, or nothing."""
        scope = next(item for item in self.survey.found[span] if item.node is found.node).scope
        for name in dict.fromkeys((*found.own, *found.template.free)):
            owner = scope.look_up(name)
            known = hasattr(builtins, name)
            if known and owner is not None:
                return Refusal("shadowed-name", f"`{name}` is not the built-in one here")
            if not known and owner is None and name in found.template.free:
                detail = f"`{name}` is bound nowhere in the file, and the rule does not import it"
                return Refusal("shadowed-name", detail)
        return None

    def ranges(self, nodes: Sequence[ast.expr | ast.keyword]) -> Iterator[tuple[int, int]]:
        """The ranges of some nodes; where nothing but signs is between them, a single one."""
        if not nodes:
            return
        document = self.document
        placed = sorted((document.start(node), document.end(node)) for node in nodes)
        first, last = placed[0]
        for start, end in placed[1:]:
            if re.fullmatch(r"[\s,\\]*", re.sub(r"#[^\r\n]*", "", document.text[last:start])):
                last = end
            else:
                yield first, last
                first, last = start, end
        yield first, last

    def piece(
        self, name: str, nodes: Sequence[ast.expr | ast.keyword], inner: Sequence[Edit]
    ) -> Piece | None:
        """The text of a hole with what was planned inside of it, and the nodes that it is then."""
        texts = [self._rewritten(start, end, inner) for start, end in self.ranges(nodes)]
        text = ", ".join(texts)
        try:
            made = _several(text) if name == DOTS else (ast.parse(f"({text}\n)", mode="eval").body,)
        except (SyntaxError, ValueError):
            return None
        changed = any(_offsets_hold(self, part, edit) for part in self.ranges(nodes) for edit in inner)
        if len(made) != len(nodes) or not (changed or all(map(same_code, made, nodes))):
            return None
        return Piece(text, made)

    def _rewritten(self, start: int, end: int, inner: Sequence[Edit]) -> str:
        parts, done = [], start
        for edit in sorted(inner, key=_place):
            first, last = self.offsets(edit.span)
            if done <= first and last <= end:
                parts += [self.document.text[done:first], edit.after]
                done = last
        return "".join([*parts, self.document.text[done:end]])

    def offsets(self, span: Span) -> tuple[int, int]:
        """The range of a span."""
        starts = self.document.lines.starts
        return starts[span.line - 1] + span.column - 1, starts[span.end_line - 1] + span.end_column - 1

    def has_comment(self, node: Code, kept: Iterable[tuple[int, int]]) -> bool:
        """Whether a comment stands in a node's text outside of what is kept."""
        text, done, gaps = self.document.text, self.document.start(node), []
        for start, end in sorted(kept):
            gaps.append(text[done:start])
            done = max(done, end)
        gaps.append(text[done : self.document.end(node)])
        return any(re.match(r"(?:[^'\"#]|'[^'\n]*'|\"[^\"\n]*\")*#", gap) for gap in gaps)


def _several(text: str) -> tuple[ast.expr | ast.keyword, ...]:
    """The arguments that a text is."""
    call = ast.parse(f"_({text}\n)", mode="eval").body
    return (*call.args, *call.keywords) if isinstance(call, ast.Call) else ()


def _unfit(found: _Found, place: Found) -> Refusal | None:
    """Refuse a place in which the code that is to stand there cannot stand."""
    node, code = found.node, found.template.code
    if isinstance(node, ast.Assign) and len(node.targets) > 1:
        return Refusal("unsupported-form", "it assigns one value to several targets")
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
        return None
    odd = next((name for name in before if after.count(name) != 1), before[0])
    what = {0: "is left out", 1: "comes in another order"}.get(after.count(odd), "is repeated")
    return Refusal("unsupported-form", f"what stands in `{_shown(odd)}` may have an effect, and {what}")


def _shown(hole: str) -> str:
    return "..." if hole == DOTS else f"${hole}"


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


def _place(entry: Edit | Skip) -> tuple[int, int, int, int]:
    span = entry.span
    return (span.line, span.column, -span.end_line, -span.end_column)


def _inside_out(site: Site) -> tuple[int, int, int, int]:
    span = site.span
    return (span.end_line, span.end_column, -span.line, -span.column)


def _holds(outer: Span, inner: Span) -> bool:
    start, end = (outer.line, outer.column), (outer.end_line, outer.end_column)
    return start <= (inner.line, inner.column) and (inner.end_line, inner.end_column) <= end


def _offsets_hold(file: _File, part: tuple[int, int], edit: Edit) -> bool:
    first, last = file.offsets(edit.span)
    return part[0] <= first and last <= part[1]
