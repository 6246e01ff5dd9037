"""Calls and imports of named functions, whatever a file calls them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ratchet.analysis.lines import Hits, Lines
from ratchet.analysis.spelling import spell, spell_call
from ratchet.frozen import dataclass
from ratchet.matching.engines import engine_applies
from ratchet.matching.names import Names
from ratchet.matching.needs import Needs, may_hold
from ratchet.matching.visit import Visit, span_of, visit
from ratchet.model import Match, NameMatch, Rule

_TRIVIA = r"(?:[\s\\]|#[^\n]*)+"
_RENAMING = frozenset({ast.alias, ast.Assign, ast.AnnAssign, ast.NamedExpr})
# A star is what follows `import`, behind spaces or a continued line.
_STARS = (
    "import*",
    "import *",
    *(f"import{space}" for space in ("  ", " \t", " \f", " \\", "\t", "\f", "\\")),
)


@dataclass(frozen=True, slots=True)
class NameRule:
    """A call or import rule made ready: whether a dotted name is its, and the last parts of its names.

    A text must have one of the `alternatives`; there are none where no name belongs to the engine version.
    """

    id: str
    counts_calls: bool
    counts_imports: bool
    renamed: bool
    names: Callable[[str], bool]
    modules: Callable[[str], bool]
    words: tuple[str, ...]
    alternatives: tuple[Needs, ...]
    rename: re.Pattern[str] | None

    def may_be_in(self, text: str) -> bool:
        """Whether a text has the words without which nothing is found in it."""
        if self.rename is not None and self.rename.search(text) is None:
            return False
        return any(may_hold(needs, text) for needs in self.alternatives)


def name_rule(rule: Rule, match: NameMatch, engine: str | None) -> NameRule:
    """A call or import rule for trees of an engine version: names of other versions are left out."""
    names = [*match.names]
    for specifier, group in match.versioned:
        names += group if engine_applies(specifier, engine) else ()
    words = tuple(dict.fromkeys(name.rpartition(".")[2] for name in names))
    counts_imports = rule.kind == "import" or match.imports
    return NameRule(
        id=rule.id,
        counts_calls=rule.kind == "call",
        counts_imports=counts_imports,
        renamed=match.renamed,
        names=_any_of(names),
        modules=_any_of([name.rpartition(".")[0] for name in names]),
        words=words,
        alternatives=tuple(_alternatives(rule, names, words, counts_imports and not match.renamed)),
        rename=re.compile(f"(?:{'|'.join(words)}){_TRIVIA}as\\b") if match.renamed else None,
    )


def _alternatives(
    rule: Rule, names: Sequence[str], words: tuple[str, ...], counts_stars: bool
) -> Iterator[Needs]:
    """An import needs the name, or a star, and the module, unless that is the very package around it."""
    modules = sorted({name.rpartition(".")[0].rpartition(".")[2] for name in names})
    source = ((*modules, "from ."),) if all(map(str.isidentifier, modules)) else ()
    if words:
        yield (words, *source) if rule.kind == "import" else (words,)
    if words and counts_stars:
        yield (_STARS, *source)


def find_names(rules: Iterable[NameRule], tree: ast.Module, lines: Lines, names: Names) -> Iterator[Match]:
    """What the rules count in the file with these names."""
    wanted = tuple(rules)
    words = {word for rule in wanted if rule.counts_calls for word in rule.words}
    hits = Hits(lines, {*words, "import"} if any(rule.counts_imports for rule in wanted) else words)
    places, words = _with_aliases(tree, hits, words)
    for found in places:
        node = found.node
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imports(wanted, node, found, lines, names)
        elif isinstance(node, ast.Call) and _last_name(node.func) in words:
            yield from _call(wanted, node.func, found, lines, names, spell_call(node))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for decorator in node.decorator_list:
                if _last_name(decorator) in words:
                    at = Visit(decorator, found.place, decorator)
                    yield from _call(wanted, decorator, at, lines, names, f"@{spell(decorator)}")


def _with_aliases(tree: ast.Module, hits: Hits, words: set[str]) -> tuple[list[Visit], set[str]]:
    """What is to be visited, and the words with the other names that the file gives to what they call."""
    known = set(words)
    while True:
        places = list(visit(tree, hits))
        found = {name for place in places for name in _renames(place.node, known)} - known
        if not found:
            return places, known
        known |= found
        hits.add(found)


def _renames(node: ast.AST, words: set[str]) -> Iterator[str]:
    """The names that a node binds to what one of the words calls."""
    kind = type(node)
    if kind not in _RENAMING:
        return
    if isinstance(node, ast.alias):
        if node.asname and node.name.rpartition(".")[2] in words:
            yield node.asname
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and _last_name(node.value) in words:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (target.id for target in targets if isinstance(target, ast.Name))


def _call(
    rules: Iterable[NameRule], func: ast.expr, found: Visit, lines: Lines, names: Names, code: str
) -> Iterator[Match]:
    dotted = names.dotted(func, found.place)
    for rule in rules:
        if rule.counts_calls and any(map(rule.names, dotted)):
            yield Match(rule.id, span_of(found.anchor, lines), found.place.name, code)


def _imports(
    rules: Iterable[NameRule], node: ast.Import | ast.ImportFrom, found: Visit, lines: Lines, names: Names
) -> Iterator[Match]:
    counting = [rule for rule in rules if rule.counts_imports]
    base = names.base_of(node) if isinstance(node, ast.ImportFrom) else None
    for alias in node.names if counting else ():
        code = spell(_with_one_name(node, alias))
        for rule in counting:
            if _is_import_of(rule, base, alias):
                yield Match(rule.id, span_of(alias, lines), found.place.name, code)


def _is_import_of(rule: NameRule, base: str | None, alias: ast.alias) -> bool:
    if rule.renamed and (alias.asname is None or alias.asname == alias.name):
        return False
    if base is not None and alias.name == "*":
        return rule.modules(base) or _is_inside(rule, base)
    return _is_inside(rule, alias.name if base is None else f"{base}.{alias.name}")


def _is_inside(rule: NameRule, dotted: str) -> bool:
    """Whether a dotted name is one of the rule's, or stands in a module that is."""
    while dotted:
        if rule.names(dotted):
            return True
        dotted = dotted.rpartition(".")[0]
    return False


def _with_one_name(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> ast.Import | ast.ImportFrom:
    if isinstance(node, ast.Import):
        return ast.Import([alias])
    return ast.ImportFrom(node.module, [alias], node.level)


def _last_name(node: ast.expr | None) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _any_of(names: Iterable[str]) -> Callable[[str], bool]:
    exact = frozenset(name for name in names if "*" not in name)
    globs = [re.escape(name).replace(r"\*", ".*") for name in names if "*" in name]
    if not globs:
        return exact.__contains__
    glob = re.compile("|".join(globs))
    return lambda name: name in exact or glob.fullmatch(name) is not None
