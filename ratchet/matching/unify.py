"""Whether a node of a pattern and a node of a program are the same, up to the pattern's holes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ratchet.analysis.spelling import spell
from ratchet.matching.pattern import hole_of, is_dots, is_rest


class Held(NamedTuple):
    """What stands in a hole: its code, and the nodes, several under `DOTS` only."""

    code: str
    nodes: tuple[object, ...]


Filled = Mapping[str, Held]
"""What stands in each hole, and under `DOTS` in the first `...`."""

ANYTHING = "_"
DOTS = "..."
_IGNORED = frozenset({"ctx", "type_comment", "kind", "type_params", "simple"})


def unify(pattern: object, node: object, filled: Filled) -> Iterator[Filled]:
    """The ways in which the holes of `pattern` can be filled so that it is `node`; none where it is not."""
    hole = hole_of(pattern)
    if hole is not None:
        yield from _fill(hole, node, filled)
    elif is_dots(pattern) and isinstance(node, ast.expr):
        yield {DOTS: Held("", (node,)), **filled}
    elif isinstance(pattern, ast.AST):
        if type(pattern) is type(node):
            yield from _unify_nodes(pattern, node, filled)
    elif isinstance(pattern, list):
        if isinstance(node, list):
            yield from unify_sequences(pattern, node, filled)
    elif type(pattern) is type(node) and pattern == node:
        yield filled


def unify_sequences(patterns: Sequence[object], nodes: Sequence[object], filled: Filled) -> Iterator[Filled]:
    """As `unify`, for two lists; `...` in the first stands for any number of things in the second."""
    if not patterns:
        if not nodes:
            yield filled
    elif is_dots(patterns[0]):
        for skipped in range(len(nodes) + 1):
            taken = {DOTS: Held("", tuple(nodes[:skipped])), **filled}
            yield from unify_sequences(patterns[1:], nodes[skipped:], taken)
    elif nodes:
        for first in unify(patterns[0], nodes[0], filled):
            yield from unify_sequences(patterns[1:], nodes[1:], first)


def _fill(hole: str, node: object, filled: Filled) -> Iterator[Filled]:
    if node is None or isinstance(node, ast.Starred):
        return
    if hole == ANYTHING:
        yield filled
        return
    code = spell(node) if isinstance(node, ast.AST) else str(node)
    known = filled.get(hole)
    if known is None:
        yield {**filled, hole: Held(code, (node,))}
    elif known.code == code:
        yield filled


def _unify_nodes(pattern: ast.AST, node: object, filled: Filled) -> Iterator[Filled]:
    if isinstance(pattern, ast.Call) and isinstance(node, ast.Call):
        yield from _unify_calls(pattern, node, filled)
    elif isinstance(pattern, ast.ClassDef) and isinstance(node, ast.ClassDef):
        yield from _unify_classes(pattern, node, filled)
    elif isinstance(pattern, ast.arguments) and isinstance(node, ast.arguments):
        yield from _unify_parameters(pattern, node, filled)
    elif isinstance(pattern, ast.Import | ast.ImportFrom):
        yield from _unify_imports(pattern, node, filled)
    elif isinstance(pattern, ast.Assign) and isinstance(node, ast.Assign) and len(pattern.targets) == 1:
        for target in node.targets:
            for first in unify(pattern.targets[0], target, filled):
                yield from unify(pattern.value, node.value, first)
    else:
        yield from _unify_fields(pattern, node, _fields(pattern), filled)


def _fields(pattern: ast.AST) -> list[str]:
    """The fields that count: what the pattern of a definition or an import leaves out may be anything."""
    names = [name for name in pattern._fields if name not in _IGNORED]
    if isinstance(pattern, ast.FunctionDef | ast.AsyncFunctionDef | ast.arg | ast.alias):
        return [name for name in names if getattr(pattern, name)]
    return names


def _unify_fields(pattern: ast.AST, node: object, names: Sequence[str], filled: Filled) -> Iterator[Filled]:
    if not names:
        yield filled
        return
    name, *rest = names
    expected: Any = getattr(pattern, name)
    found: Any = getattr(node, name, None)
    ways = (
        _unify_some(expected, found, filled) if name == "decorator_list" else unify(expected, found, filled)
    )
    for first in ways:
        yield from _unify_fields(pattern, node, rest, first)


def _unify_some(patterns: Sequence[object], nodes: Sequence[object], filled: Filled) -> Iterator[Filled]:
    """Each of the patterns is one of the nodes, in any order; further nodes are free."""
    if not patterns:
        yield filled
        return
    for index, node in enumerate(nodes):
        others = [*nodes[:index], *nodes[index + 1 :]]
        for first in unify(patterns[0], node, filled):
            yield from _unify_some(patterns[1:], others, first)


def _unify_calls(pattern: ast.Call, node: ast.Call, filled: Filled) -> Iterator[Filled]:
    for callee in unify(pattern.func, node.func, filled):
        yield from _unify_arguments(pattern, node, callee)


def _unify_classes(pattern: ast.ClassDef, node: ast.ClassDef, filled: Filled) -> Iterator[Filled]:
    for named in unify(pattern.name, node.name, filled):
        for decorated in _unify_some(pattern.decorator_list, node.decorator_list, named):
            for arguments in _unify_arguments(pattern, node, decorated):
                yield from unify_sequences(pattern.body, node.body, arguments)


def _unify_arguments(
    pattern: ast.Call | ast.ClassDef, node: ast.Call | ast.ClassDef, filled: Filled
) -> Iterator[Filled]:
    """Positional arguments in order, keywords in any; `...` among either frees the keywords not named."""
    expected, found = _positional(pattern), _positional(node)
    keywords = [keyword for keyword in pattern.keywords if not is_rest(keyword)]
    dots = any(map(is_dots, expected))
    if len(keywords) < len(pattern.keywords):
        dots = True
        expected = [*expected, ast.Constant(Ellipsis)]
    if len(node.keywords) < len(keywords) or (len(node.keywords) > len(keywords) and not dots):
        return
    for positional in unify_sequences(expected, found, filled):
        for some, left in _unify_named(keywords, node.keywords, positional):
            taken = some.get(DOTS)
            yield {**some, DOTS: Held("", (*taken.nodes, *left))} if taken is not None and left else some


def _unify_named(
    patterns: Sequence[ast.keyword], nodes: Sequence[ast.keyword], filled: Filled
) -> Iterator[tuple[Filled, Sequence[ast.keyword]]]:
    """As `_unify_some`, with the keywords that are left."""
    if not patterns:
        yield filled, nodes
        return
    for index, node in enumerate(nodes):
        for first in unify(patterns[0], node, filled):
            yield from _unify_named(patterns[1:], [*nodes[:index], *nodes[index + 1 :]], first)


def _positional(node: ast.Call | ast.ClassDef) -> list[ast.expr]:
    return node.args if isinstance(node, ast.Call) else node.bases


def _unify_parameters(pattern: ast.arguments, node: ast.arguments, filled: Filled) -> Iterator[Filled]:
    if not is_rest(pattern.vararg):
        yield from _unify_fields(pattern, node, _fields(pattern), filled)
        return
    # `def f(a, ...)`: the named ones come first, whatever follows them.
    expected = [*pattern.posonlyargs, *pattern.args]
    found = [*node.posonlyargs, *node.args]
    if len(found) >= len(expected):
        yield from unify_sequences(expected, found[: len(expected)], filled)


def _unify_imports(pattern: ast.Import | ast.ImportFrom, node: object, filled: Filled) -> Iterator[Filled]:
    """The names of the pattern are among those that the statement imports."""
    if isinstance(pattern, ast.ImportFrom) and isinstance(node, ast.ImportFrom):
        if pattern.level == node.level:
            for module in unify(pattern.module, node.module, filled):
                yield from _unify_some(pattern.names, node.names, module)
    elif isinstance(pattern, ast.Import) and isinstance(node, ast.Import):
        yield from _unify_some(pattern.names, node.names, filled)
