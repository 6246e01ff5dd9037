"""What a rule writes instead: a snippet with holes, filled with the text that stood in a pattern's holes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from ratchet.codemod.model import Accessor
from ratchet.frozen import dataclass
from ratchet.matching.pattern import HOLE, hole_of, is_dots, is_rest
from ratchet.matching.rewrites import Code, code_of
from ratchet.matching.unify import DOTS

_HOLE_OR_DOTS = re.compile(r"\$(?P<hole>[A-Za-z_]\w*)|(?P<dots>(?<![\w.])\.\.\.)")
_ATOMS = (
    ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant, ast.List, ast.Dict, ast.Set,
    ast.JoinedStr, ast.ListComp, ast.SetComp, ast.DictComp,
)  # fmt: skip


_NOT_CODE = frozenset({"ctx", "simple", "kind", "type_comment"})


@dataclass(frozen=True, slots=True)
class Template:
    """The text of a replacement and what it imports; `free` are the names that it takes from around it.

    `code` is its tree, an expression or a statement, with names that start with `HOLE` for its holes.
    """

    text: str
    code: Code
    accessors: tuple[Accessor, ...]
    free: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """What is put into a hole: its text, and the expressions that it is; one, but for `...`."""

    text: str
    nodes: tuple[ast.expr | ast.keyword, ...]


Pieces = Mapping[str, Piece]


def template_of(text: str, imports: tuple[str, ...] = ()) -> Template:
    """A rewrite made ready. Raises SyntaxError where it is no expression or statement with holes."""
    found = code_of(text)
    accessors = tuple(Accessor(*_parted(name)) for name in imports)
    bound = {item.name for item in accessors}
    names = {node.id for node in ast.walk(found) if isinstance(node, ast.Name)}
    names -= {node.arg for node in ast.walk(found) if isinstance(node, ast.arg)}
    free = sorted(name for name in names if not name.startswith((HOLE, "_rest_")) and name not in bound)
    return Template(text.strip(), found, accessors, tuple(free))


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


def _expected(template: Template, pieces: Pieces) -> Code:
    """The template's tree with the pieces in the places of its holes."""
    made = _Fill(pieces).visit(code_of(template.text))
    assert isinstance(made, ast.expr | ast.stmt)
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


def _reads_as(text: str, expected: Code) -> bool:
    try:
        if isinstance(expected, ast.expr):
            return same_code(ast.parse(f"({text}\n)", mode="eval").body, expected)
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return False
    return len(body) == 1 and same_code(body[0], expected)


def same_code(one: object, other: object) -> bool:
    """Whether two trees are the same, but for whether a name is read there or stored to."""
    if type(one) is not type(other):
        return False
    if isinstance(one, ast.AST):
        names = (name for name in one._fields if name not in _NOT_CODE)
        return all(same_code(getattr(one, name, None), getattr(other, name, None)) for name in names)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_code, one, other))
    return one == other


def holes_in(template: Template) -> Iterator[str]:
    """The holes of a template in the order in which they are evaluated, each as often as it stands there."""
    for node in _in_order(template.code):
        name = hole_of(node)
        if name is not None:
            yield name
        elif is_dots(node) or is_rest(node):
            yield DOTS


def conditional_holes(code: ast.AST, branch: bool = False) -> Iterator[str]:
    """The holes of some code that may not be evaluated, or more than once, when it is."""
    name = hole_of(code) if isinstance(code, ast.Name) else DOTS if is_dots(code) or is_rest(code) else None
    if name is not None and branch:
        yield name
    for child in ast.iter_child_nodes(code):
        yield from conditional_holes(child, branch or child in _branches(code))


def _branches(node: ast.AST) -> Sequence[ast.AST | None]:
    """The parts of a node that are evaluated under a condition, later, or again and again."""
    if isinstance(node, ast.Assert):
        return [node.msg]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.BoolOp):
        return node.values[1:]
    if isinstance(node, ast.Compare):
        return node.comparators[1:]
    if isinstance(node, ast.Lambda):
        return [node.body]
    if isinstance(node, ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp):
        return [part for part in ast.iter_child_nodes(node) if part is not node.generators[0]]
    if isinstance(node, ast.comprehension):
        return node.ifs
    return ()


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    if is_rest(node):
        return
    children = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Assign | ast.AnnAssign):
        children.sort(key=lambda child: child is not node.value)  # the value comes before its targets
    for child in children:
        yield from _in_order(child)
