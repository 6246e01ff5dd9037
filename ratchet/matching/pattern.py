"""Snippets of Python with holes: how they are written, and what they need."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from ratchet.frozen import dataclass
from ratchet.matching.needs import Needs, has_identifier, may_hold
from ratchet.matching.regex import compile_regex, required_words

HOLE = "_hole_"
"""What a hole is called once its snippet is Python: `$NAME` becomes a name with this start."""

REST = "_rest_"
"""What `...` becomes where Python takes no Ellipsis: among parameters, and after keywords."""

_TOKEN = re.compile(
    r"""(?P<literal>(?<!\w)(?P<prefix>\w{0,2})(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")|\#[^\n]*)"""
    r"""|\$(?P<hole>[A-Za-z_]\w*)"""
)
_HOLE_IN_STRING = re.compile(r"\$([A-Za-z_]\w*)")
_LAST_DOTS = re.compile(r",\s*\.\.\.\s*(?=,?\s*\))")
_ONLY_DOTS = re.compile(r"(\bdef\s+\w+\s*\(\s*)\.\.\.\s*(?=,?\s*\))")
_DEFINITION_DOTS = re.compile(r"(\bdef\s+\w+\s*\([^()]*?),\s*\.\.\.\s*(?=,?\s*\))")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A pattern made ready: the statements to find one after another, or one expression to find anywhere.

    `where` are tests that the code in a hole must pass, `words` the identifiers in all that it matches, and
    `needs` those words again with what the tests need.
    """

    statements: tuple[ast.stmt, ...]
    expression: ast.expr | None
    where: tuple[tuple[str, Callable[[str], bool]], ...]
    words: tuple[str, ...]
    needs: Needs

    def may_be_in(self, text: str) -> bool:
        """Whether a text has the words without which nothing is found in it."""
        return may_hold(self.needs, text) and all(has_identifier(text, word) for word in self.words)


def compile_pattern(snippet: str, where: tuple[tuple[str, str], ...] = ()) -> Snippet:
    """A pattern made ready. Raises SyntaxError where it is no Python with `$NAME` and `...` holes."""
    body = parse_snippet(snippet)
    if not body:
        raise SyntaxError("it holds no code")
    only = body[0]
    expression = only.value if len(body) == 1 and isinstance(only, ast.Expr) else None
    if expression is not None and (is_dots(expression) or hole_of(expression)):
        raise SyntaxError("it matches everything")
    own = [(hole, regex) for hole, regex in where if hole in holes_of(snippet)]
    tests = tuple((hole, _test(regex)) for hole, regex in own)
    words = tuple(sorted(set(_words(body))))
    tested = tuple(clause for clause in (_needed(regex) for _, regex in own) if clause)
    return Snippet(tuple(body), expression, tests, words, (*((word,) for word in words), *tested))


def pattern_fault(snippet: str) -> str | None:
    """Why a pattern cannot be used, as what stands after "the pattern ...", None where it can."""
    try:
        compile_pattern(snippet)
    except SyntaxError as error:
        return f"is no Python with `$NAME` and `...` holes: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return f"cannot be read: {error}"
    return None


def holes_of(snippet: str) -> frozenset[str]:
    """The names of a pattern's holes."""
    found: set[str] = set()
    for match in _TOKEN.finditer(snippet):
        found.update([match["hole"]] if match["hole"] else _HOLE_IN_STRING.findall(_formatted(match)))
    return frozenset(found)


def hole_of(node: object) -> str | None:
    """The name of the hole that a node of a pattern, or a name in it, is; None where it is none."""
    if isinstance(node, ast.Expr):
        node = node.value
    name = node.id if isinstance(node, ast.Name) else node
    return name.removeprefix(HOLE) if isinstance(name, str) and name.startswith(HOLE) else None


def is_dots(node: object) -> bool:
    """Whether a node of a pattern is `...`, as an expression or as a statement."""
    if isinstance(node, ast.Expr):
        node = node.value
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def is_rest(node: object) -> bool:
    """Whether a keyword or a parameter of a pattern stands for all that are not named."""
    if isinstance(node, ast.keyword):
        return node.arg is None and isinstance(node.value, ast.Name) and node.value.id == REST
    return isinstance(node, ast.arg) and node.arg == REST


def parse_snippet(snippet: str) -> list[ast.stmt]:
    """The statements of a snippet, its holes names that start with `HOLE`. Raises SyntaxError."""
    text = _TOKEN.sub(_with_names, snippet.strip("\n")).strip()
    text = _ONLY_DOTS.sub(rf"\1*{REST}", text)
    text = _DEFINITION_DOTS.sub(rf"\1, *{REST}", text)
    try:
        return ast.parse(text).body
    except SyntaxError:
        # `f(x=1, ...)`: Python takes nothing without a name after a keyword.
        return ast.parse(_LAST_DOTS.sub(f", **{REST}", text)).body


def _with_names(match: re.Match[str]) -> str:
    """A hole as a name; a string as it is, but for the holes of an f-string."""
    if match["hole"]:
        return HOLE + match["hole"]
    formatted = _formatted(match)
    return _HOLE_IN_STRING.sub(lambda hole: HOLE + hole[1], formatted) if formatted else match["literal"]


def _formatted(match: re.Match[str]) -> str:
    """The text of an f-string that a match is, else nothing."""
    return match["literal"] if "f" in (match["prefix"] or "").lower() else ""


def _test(regex: str) -> Callable[[str], bool]:
    compiled = compile_regex(regex)
    return lambda code: compiled.fullmatch(code) is not None


def _needed(regex: str) -> tuple[str, ...]:
    """Identifiers, one of which stands in every text that a test lets pass."""
    words = [max(re.findall(r"\w+", word), key=len, default="") for word in required_words(regex)]
    return tuple(words) if all(words) else ()


def _words(body: list[ast.stmt]) -> Iterator[str]:
    """The identifiers of a pattern, which stand as they are in every text that it matches."""
    for statement in body:
        for node in ast.walk(statement):
            for name in _names_in(node):
                if name and not name.startswith((HOLE, REST)):
                    yield from (part for part in name.split(".") if part and not part.startswith(HOLE))


def _names_in(node: ast.AST) -> Iterator[str | None]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.keyword | ast.arg):
        yield node.arg
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.alias):
        yield from (node.name, node.asname)
    elif isinstance(node, ast.ImportFrom):
        yield node.module
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
