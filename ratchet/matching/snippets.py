"""Finds the snippets of pattern rules in a tree."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from ratchet.analysis.lines import Hits, Lines, first_line
from ratchet.analysis.spelling import spell
from ratchet.frozen import dataclass
from ratchet.matching.needs import Needs
from ratchet.matching.pattern import Snippet, compile_pattern, is_dots
from ratchet.matching.unify import Filled, unify, unify_sequences
from ratchet.matching.visit import Visit, span_of, visit
from ratchet.model import Match, PatternMatch, Rule, Span


@dataclass(frozen=True, slots=True)
class SnippetRule:
    """A pattern rule made ready."""

    id: str
    snippets: tuple[Snippet, ...]

    @property
    def alternatives(self) -> tuple[Needs, ...]:
        """What a text must have."""
        return tuple(snippet.needs for snippet in self.snippets)

    def may_be_in(self, text: str) -> bool:
        """Whether a text has the words without which nothing is found in it."""
        return any(snippet.may_be_in(text) for snippet in self.snippets)


def snippet_rule(rule: Rule, match: PatternMatch) -> SnippetRule:
    """A pattern rule made ready to run."""
    return SnippetRule(rule.id, tuple(compile_pattern(snippet, match.where) for snippet in match.patterns))


def find_snippets(rule: SnippetRule, tree: ast.Module, lines: Lines) -> Iterator[Match]:
    """Each place where one of the snippets stands, once."""
    present = [snippet for snippet in rule.snippets if snippet.may_be_in(lines.text)]
    clauses = [min(snippet.needs, key=partial(_frequency, lines.text), default=()) for snippet in present]
    words = {word for clause in clauses for word in clause}
    # A snippet without a word of its own may stand on any line.
    hits = Hits(lines, words, everything=not all(clauses))
    expressions: dict[type, list[Snippet]] = {}
    for snippet in present:
        expressions.setdefault(type(snippet.expression), []).append(snippet)
    runs = expressions.pop(type(None), [])
    seen: set[Span] = set()
    for found in visit(tree, hits):
        matches = _expressions(rule.id, expressions.get(type(found.node), ()), found, lines)
        for match in (*matches, *_statements(rule.id, runs, found, lines, hits)):
            if match.span not in seen:
                seen.add(match.span)
                yield match


def _frequency(text: str, clause: tuple[str, ...]) -> int:
    return sum(map(text.count, clause))


def _expressions(rule: str, snippets: Iterable[Snippet], found: Visit, lines: Lines) -> Iterator[Match]:
    for snippet in snippets:
        if snippet.expression and _holds(snippet, [snippet.expression], [found.node]):
            yield Match(rule, span_of(found.anchor, lines), found.place.name, spell(found.node))


def _statements(
    rule: str, snippets: Iterable[Snippet], found: Visit, lines: Lines, hits: Hits
) -> Iterator[Match]:
    for block in _blocks(found.node) if snippets else ():
        for snippet in snippets:
            for statements in _runs(snippet, block, hits):
                code = "; ".join(_header(statement) for statement in statements)
                yield Match(rule, _span(statements, lines), _scope_inside(found), code)


def filled_by(snippet: Snippet, node: ast.expr | ast.stmt) -> Filled | None:
    """What stands in the holes of a snippet that is one expression or statement; None where a node is not."""
    own = (snippet.expression,) if snippet.expression is not None else snippet.statements
    return next(_ways(snippet, own, [node]), None) if len(own) == 1 else None


def _holds(snippet: Snippet, patterns: Sequence[ast.AST], nodes: Sequence[ast.AST]) -> bool:
    return next(_ways(snippet, patterns, nodes), None) is not None


def _ways(snippet: Snippet, patterns: Sequence[ast.AST], nodes: Sequence[ast.AST]) -> Iterator[Filled]:
    """The ways in which the nodes are the patterns, with holes that pass the snippet's tests."""
    if len(patterns) == 1 and len(nodes) == 1:
        ways = unify(patterns[0], nodes[0], {})
    else:
        ways = unify_sequences(patterns, nodes, {})
    for filled in ways:
        if all(test(filled[hole].code) for hole, test in snippet.where if hole in filled):
            yield filled


def _runs(snippet: Snippet, block: list[ast.stmt], hits: Hits) -> Iterator[list[ast.stmt]]:
    """The runs of statements in a block that are the snippet, the shortest from each start."""
    fixed = sum(not is_dots(statement) for statement in snippet.statements)
    longest = len(block) if fixed < len(snippet.statements) else fixed
    for start in range(len(block) - fixed + 1):
        for end in range(start + fixed, min(start + longest, len(block)) + 1):
            run = block[start:end]
            if not hits.within(first_line(run[0]), run[-1].end_lineno or run[-1].lineno):
                continue
            if _holds(snippet, snippet.statements, run):
                yield run
                break


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for _, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value


def _scope_inside(found: Visit) -> str:
    node = found.node
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return found.place.inside(node).name
    return found.place.name


def _header(statement: ast.stmt) -> str:
    """A statement's code, without the body of one that has one."""
    if not hasattr(statement, "body"):
        return spell(statement)
    return next(line for line in ast.unparse(statement).splitlines() if not line.startswith("@"))


def _span(statements: Sequence[ast.stmt], lines: Lines) -> Span:
    first, last = span_of(statements[0], lines), span_of(statements[-1], lines)
    return Span(first.line, first.column, last.end_line, last.end_column)
