"""What a rule writes instead: a snippet with holes, filled with the text that stood in a pattern's holes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping

from ratchet.codemod.model import Accessor
from ratchet.frozen import dataclass
from ratchet.matching.pattern import HOLE, hole_of, is_dots, is_rest
from ratchet.matching.rewrites import expression_of
from ratchet.matching.unify import DOTS

_HOLE_OR_DOTS = re.compile(r"\$(?P<hole>[A-Za-z_]\w*)|(?P<dots>(?<![\w.])\.\.\.)")
_ATOMS = (
    ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant, ast.List, ast.Dict, ast.Set,
    ast.JoinedStr, ast.ListComp, ast.SetComp, ast.DictComp,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Template:
    """The text of a replacement and what it imports; `free` are the names that it takes from around it."""

    text: str
    accessors: tuple[Accessor, ...]
    free: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """What is put into a hole: its text, and the expressions that it is; one, but for `...`."""

    text: str
    nodes: tuple[ast.expr | ast.keyword, ...]


Pieces = Mapping[str, Piece]


def template_of(text: str, imports: tuple[str, ...] = ()) -> Template:
    """A rewrite made ready. Raises SyntaxError where it is no expression with `$NAME` and `...` holes."""
    found = expression_of(text)
    accessors = tuple(Accessor(*_parted(name)) for name in imports)
    bound = {item.name for item in accessors}
    names = {node.id for node in ast.walk(found) if isinstance(node, ast.Name)}
    names -= {node.arg for node in ast.walk(found) if isinstance(node, ast.arg)}
    free = sorted(name for name in names if not name.startswith((HOLE, "_rest_")) and name not in bound)
    return Template(text.strip(), accessors, tuple(free))


def call_template(replacement: str) -> Template:
    """As `template_of`, for an expression that starts with the dotted name of what it imports."""
    dotted = _dotted_head(replacement)
    module, name = _parted(dotted)
    if not module:
        raise SyntaxError("it does not start with the dotted name of what it imports")
    return template_of(name + replacement.strip()[len(dotted) :], (dotted,))


def _parted(dotted: str) -> tuple[str, str]:
    module, _, name = dotted.rpartition(".")
    return module, name


def _dotted_head(text: str) -> str:
    found = re.match(r"\s*([^\W\d]\w*(?:\.[^\W\d]\w*)*)", text)
    return found[1] if found else ""


def fill(template: Template, pieces: Pieces) -> str | None:
    """The template's text with its holes filled, each in parentheses where its place asks for them.

    None where no text is found that surely reads as the template with the pieces in it.
    """
    expected = _expected(template, pieces)
    bare: set[str] = set(pieces)
    if not _reads_as(_text(template, pieces, bare), expected):
        bare = {DOTS, *(name for name, piece in pieces.items() if _is_atom(piece))}
        for name in sorted(set(pieces) - bare):
            if _reads_as(_text(template, pieces, bare | {name}), expected):
                bare.add(name)
    text = _text(template, pieces, bare)
    return text if _reads_as(text, expected) else None


def _is_atom(piece: Piece) -> bool:
    return len(piece.nodes) == 1 and isinstance(piece.nodes[0], _ATOMS)


def _text(template: Template, pieces: Pieces, bare: set[str]) -> str:
    def put(match: re.Match[str]) -> str:
        name = match["hole"] or DOTS
        text = pieces[name].text
        return text if name in bare else f"({text})"

    text = template.text
    if DOTS in pieces and not pieces[DOTS].text:
        text = re.sub(r",\s*\.\.\.(?=\s*,?\s*\))|(?<![\w.])\.\.\.\s*,?\s*", "", text)
    return _outside_literals(text, put)


_LITERAL = re.compile(r"(?<!\w)\w{0,2}(?:'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\")")


def _outside_literals(text: str, put: Callable[[re.Match[str]], str]) -> str:
    parts, done = [], 0
    for literal in _LITERAL.finditer(text):
        parts += [_HOLE_OR_DOTS.sub(put, text[done : literal.start()]), literal[0]]
        done = literal.end()
    return "".join([*parts, _HOLE_OR_DOTS.sub(put, text[done:])])


def _expected(template: Template, pieces: Pieces) -> ast.expr:
    """The template's tree with the pieces in the places of its holes."""
    made = _Fill(pieces).visit(expression_of(template.text))
    assert isinstance(made, ast.expr)
    return made


class _Fill(ast.NodeTransformer):
    def __init__(self, pieces: Pieces) -> None:
        self.pieces = pieces

    def visit_Name(self, node: ast.Name) -> ast.AST:
        hole = hole_of(node)
        return self.pieces[hole].nodes[0] if hole is not None else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        keywords = [word for word in node.keywords if not is_rest(word)]
        dots = len(keywords) < len(node.keywords) or any(map(is_dots, node.args))
        given = self.pieces[DOTS].nodes if dots else ()
        args: list[ast.expr] = []
        for part in node.args:
            args += [each for each in given if isinstance(each, ast.expr)] if is_dots(part) else [part]
        if not any(map(is_dots, node.args)):
            args += [each for each in given if isinstance(each, ast.expr)]
        func = self.visit(node.func)
        args = [part if part in given else self.visit(part) for part in args]
        words = [*map(self.visit, keywords), *(each for each in given if isinstance(each, ast.keyword))]
        return ast.Call(func=func, args=args, keywords=words)


def _reads_as(text: str, expected: ast.expr) -> bool:
    try:
        found = ast.parse(f"({text}\n)", mode="eval").body
    except (SyntaxError, ValueError):
        return False
    return ast.dump(found) == ast.dump(expected)


def holes_in(template: Template) -> Iterator[str]:
    """The holes of a template in the order in which they are evaluated, each as often as it stands there."""
    for node in _in_order(expression_of(template.text)):
        name = hole_of(node)
        if name is not None:
            yield name
        elif is_dots(node) or is_rest(node):
            yield DOTS


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    if not is_rest(node):
        for child in ast.iter_child_nodes(node):
            yield from _in_order(child)
