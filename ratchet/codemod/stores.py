"""Stores turned into override calls, by the text around their values: those stay where they are."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from ratchet.codemod.expressions import spelled
from ratchet.codemod.imports import Spelling
from ratchet.codemod.model import Edit, Refusal
from ratchet.codemod.ranges import Placed
from ratchet.codemod.replacement import gaps_between
from ratchet.codemod.scopes import Place
from ratchet.codemod.splice import Splice, splice
from ratchet.codemod.survey import Found
from ratchet.frozen import dataclass
from ratchet.syntax.document import Document

_OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.MatMult: "@", ast.Div: "/", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|", ast.BitXor: "^", ast.BitAnd: "&", ast.FloorDiv: "//",
}  # fmt: skip
_ATOMS = (ast.Name, ast.Constant, ast.Attribute, ast.Call, ast.Subscript, ast.List, ast.Dict, ast.Set)


@dataclass(frozen=True, slots=True)
class Field:
    """A field that a statement stores: its value's text lies from `start` to `end`, after a `prefix`."""

    name: str
    value: ast.expr
    start: int
    end: int
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Store:
    """A statement that becomes an override call: what is called with which source, and the fields.

    `others` are names that the statement binds as well; it stays for them, and the call follows it. `simple`
    says whether the call may be one with that of the next statement.
    """

    place: Place
    callee: str
    source: str
    fields: tuple[Field, ...]
    simple: bool
    others: tuple[ast.Name, ...] = ()


@dataclass(frozen=True, slots=True)
class Write:
    """A planned write: the edit, where it stands, and how its accessors are called."""

    edit: Edit
    found: Found
    spelling: Spelling
    reading: Spelling | None = None


def override_fault(found: Found, fields: frozenset[str]) -> Refusal | None:
    """Why an override call cannot move as it is: `fields` are those with an edit."""
    node = found.node
    assert isinstance(node, ast.Call)
    if not isinstance(node.func, ast.Attribute):
        return Refusal("not-a-statement", "the override is called under another name")
    if not isinstance(found.place.statement, ast.Expr) or found.parents:
        return Refusal("not-a-statement", "the result of the override call is used")
    staying = [word.arg for word in node.keywords if word.arg not in (*fields, None, "source")]
    if staying:
        return Refusal("not-a-statement", f"the call writes `{staying[0]}` as well, which stays")
    return None


def store_of(document: Document, writes: Sequence[Write]) -> Store | Refusal:
    """The override call that the writes of one statement become."""
    place, by_node = writes[0].found.place, {id(write.found.node): write for write in writes}
    fields = _fields(document, place.statement, by_node)
    if isinstance(fields, Refusal):
        return fields
    call = ast.parse(writes[0].edit.after, mode="eval").body
    if not isinstance(call, ast.Call):
        return Refusal("not-a-statement", f"`{writes[0].edit.after}` is no call")
    after = writes[0].edit.after
    callee = spelled(
        ast.get_source_segment(after, call.func) or "", writes[0].edit.accessor, writes[0].spelling
    )
    given = [ast.get_source_segment(after, part) or "" for part in call.args]
    given += [
        f"{word.arg}={ast.get_source_segment(after, word.value)}"
        for word in call.keywords
        if word.arg not in {field.name for field in fields}
    ]
    others = _other_names(place.statement, by_node)
    simple = isinstance(place.statement, ast.Assign | ast.Expr) and len(fields) == 1 and not others
    return Store(place, callee, ", ".join(given), fields, simple, others)


Fields = tuple[Field, ...]


def _fields(document: Document, node: ast.stmt, by_node: Mapping[int, Write]) -> Fields | Refusal:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and id(node.value) in by_node:
        name, value = by_node[id(node.value)].edit.field, node.value.args[-1]
        return (Field(name, value, document.start(value), document.end(value)),)
    if isinstance(node, ast.AugAssign) and id(node.target) in by_node:
        return _augmented(document, node, by_node[id(node.target)])
    if isinstance(node, ast.Assign) and all(id(target) in by_node for target in node.targets):
        if len(node.targets) > 1 and not isinstance(node.value, ast.Name | ast.Constant):
            return Refusal("not-a-statement", "several targets share a value that is computed once")
        start = _behind(document, node.targets[-1], "=")
        names = [by_node[id(target)].edit.field for target in node.targets]
        return tuple(Field(name, node.value, start, document.end(node)) for name in names)
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and _pairs(target, value, by_node):
            return tuple(
                Field(by_node[id(item)].edit.field, part, document.start(part), document.end(part))
                for item, part in zip(target.elts, value.elts, strict=True)
            )
    others = _other_names(node, by_node)
    if (
        isinstance(node, ast.Assign)
        and others
        and document.indentation(document.start(node)) == _before(document, node)
        and not document.goes_on(node.lineno)
    ):
        start, end = document.start(others[0]), document.end(others[0])
        names = [by_node[id(target)].edit.field for target in node.targets if id(target) in by_node]
        return tuple(Field(name, others[0], start, end) for name in names)
    return Refusal("not-a-statement", "the field is not stored by a statement of its own")


def _before(document: Document, node: ast.stmt) -> str:
    start = document.start(node)
    return document.text[document.line_start(start) : start]


def _other_names(node: ast.stmt, by_node: Mapping[int, Write]) -> tuple[ast.Name, ...]:
    """The plain names that an assignment binds beside fields, where there is nothing else."""
    if not isinstance(node, ast.Assign):
        return ()
    others = [target for target in node.targets if id(target) not in by_node]
    names = tuple(target for target in others if isinstance(target, ast.Name))
    return names if len(names) == len(others) else ()


def _pairs(target: ast.Tuple, value: ast.Tuple, by_node: Mapping[int, Write]) -> bool:
    """Whether each part of a tuple is stored into a field that moves, and none is computed from another."""
    known = len(target.elts) == len(value.elts) and all(id(item) in by_node for item in target.elts)
    return known and not any(isinstance(part, ast.Starred) for part in value.elts)


def _augmented(document: Document, node: ast.AugAssign, write: Write) -> Fields | Refusal:
    edit = write.edit
    if not edit.reading or edit.reading_accessor is None or write.reading is None:
        return Refusal("not-a-statement", "an augmented store reads its field, and the plan says not how")
    reading = spelled(edit.reading, edit.reading_accessor, write.reading)
    start, end = document.start(node.value), document.end(node.value)
    whole = _behind(document, node.target, "=")
    bare = isinstance(node.value, _ATOMS) or whole < start or _has_own_parentheses(document, node.value)
    prefix = f"{reading} {_OPERATORS[type(node.op)]} {'' if bare else '('}"
    start, end = (whole, document.end(node)) if bare else (start, end)
    return (Field(edit.field, node.value, start, end, prefix, "" if bare else ")"),)


def _has_own_parentheses(document: Document, node: ast.expr) -> bool:
    """Whether the parentheses around an expression are a part of it, unlike those of `(a), b`."""
    return isinstance(node, ast.Tuple | ast.GeneratorExp) and _is_one_argument(document.code(node))


def _behind(document: Document, target: ast.expr, sign: str) -> int:
    """The offset of what follows a target and the sign after it."""
    at = document.text.index(sign, document.end(target)) + len(sign)
    blanks = re.compile(r"(?:[ \t]|\\\r?\n)*").match(document.text, at)
    return blanks.end() if blanks else at


def write_stores(
    document: Document, stores: Sequence[Store], inner: Sequence[Splice], length: int
) -> list[Splice]:
    """Return the splices for all stores; `inner` are those of the reads inside of their values."""
    made: list[Splice] = []
    reads = Placed((part.start, part) for part in inner)
    for group in _groups(document, stores):
        around = Splice(document.start(group[0].place.statement), document.end(group[-1].place.statement), "")
        made += _call(document, group, tuple(reads.within([around])), length)
    return made


def _groups(document: Document, stores: Sequence[Store]) -> list[list[Store]]:
    """Stores that follow each other and may be one call."""
    groups: list[list[Store]] = []
    for store in sorted(stores, key=lambda store: document.start(store.place.statement)):
        if groups and _joins(document, groups[-1], store):
            groups[-1].append(store)
        else:
            groups.append([store])
    return groups


def _joins(document: Document, group: Sequence[Store], store: Store) -> bool:
    last = group[-1]
    names = {field.name for known in group for field in known.fields}
    between = document.text[document.end(last.place.statement) : document.start(store.place.statement)]
    return (
        last.simple
        and store.simple
        and last.place.block is store.place.block
        and (last.callee, last.source) == (store.callee, store.source)
        and not between.strip()
        and len(between.splitlines()) == 2
        and names.isdisjoint(field.name for field in store.fields)
        and not any(_depends(field.value) for field in store.fields)
    )


def _depends(value: ast.expr) -> bool:
    """Whether a value may be another one, or fail, while what was stored before it is not yet written.

    Only names, what is written out, and containers of these are sure: an operator, a truth value, an
    iteration, an f-string may run code of the object's class.
    """
    if isinstance(value, ast.Tuple | ast.List):
        return any(_depends(part) for part in value.elts)
    if isinstance(value, ast.Dict):
        return not all(isinstance(key, ast.Constant) for key in value.keys) or any(
            map(_depends, value.values)
        )
    if isinstance(value, ast.UnaryOp) and not isinstance(value.op, ast.Invert):
        return not isinstance(value.operand, ast.Constant)
    return not isinstance(value, ast.Constant | ast.Name)


def gaps_of(document: Document, store: Store) -> list[Splice]:
    """What of a statement's text is not in the call that it becomes: all but the values."""
    node = store.place.statement
    kept = [(field.start, field.end) for field in store.fields]
    if store.others and isinstance(node, ast.Assign):
        kept.append((document.start(node.value), document.end(node.value)))
    return gaps_between(document.start(node), document.end(node), kept)


def _call(document: Document, group: Sequence[Store], inner: Sequence[Splice], length: int) -> list[Splice]:
    first = group[0]
    start = document.start(first.place.statement)
    end = document.end(group[-1].place.statement)
    fields = [field for store in group for field in store.fields]
    values = [_value(document, field, inner) for field in fields]
    parts = [first.source] * bool(first.source) + [
        f"{field.name}={value}" for field, value in zip(fields, values, strict=True)
    ]
    line = document.text[document.line_start(start) : start]
    rest = document.text[end : document.line_end(end)].rstrip()
    blanks = document.indentation(start)
    text = f"{first.callee}({', '.join(parts)})"
    fits = len(line) + len(text) + len(rest) <= length or "\n" in text or "\r" in text or line != blanks
    if not fits:
        text = _wrapped(first.callee, parts, blanks, length, document.newline)
    return [Splice(start, end, f"{_kept_part(document, first, inner)}{text}")]


def _kept_part(document: Document, store: Store, inner: Sequence[Splice]) -> str:
    """The assignment to the other names, on a line before the call."""
    node = store.place.statement
    if not store.others or not isinstance(node, ast.Assign):
        return ""
    value = splice(document.text, inner, _behind(document, node.targets[-1], "="), document.end(node))
    names = "".join(f"{other.id} = " for other in store.others)
    return f"{names}{value}{document.newline}{document.indentation(document.start(node))}"


def _wrapped(callee: str, parts: Sequence[str], blanks: str, length: int, newline: str) -> str:
    """A call over several lines, as black writes it."""
    inside = ", ".join(parts)
    if len(blanks) + 4 + len(inside) <= length:
        return f"{callee}({newline}{blanks}    {inside}{newline}{blanks})"
    rows = "".join(f"{blanks}    {part},{newline}" for part in parts)
    return f"{callee}({newline}{rows}{blanks})"


def _value(document: Document, field: Field, inner: Sequence[Splice]) -> str:
    text = splice(document.text, inner, field.start, field.end)
    bare = isinstance(field.value, ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Tuple)
    if bare and not _is_one_argument(text):
        text = f"({text})"
    return f"{field.prefix}{text}{field.suffix}"


def _is_one_argument(text: str) -> bool:
    try:
        call = ast.parse(f"f(a={text}\n)", mode="eval").body
    except SyntaxError:
        return False
    return isinstance(call, ast.Call) and not call.args and len(call.keywords) == 1


def lost_comment(document: Document, store: Store) -> bool:
    """Whether a comment of the statement stands outside of the values that are kept."""
    text, start = document.text, document.start(store.place.statement)
    if store.others:
        return "#" in document.code(store.place.statement)
    kept, gaps = start, ""
    for field in sorted(store.fields, key=lambda field: field.start):
        gaps += text[kept : field.start]
        kept = max(kept, field.end)
    return "#" in gaps + text[kept : document.end(store.place.statement)]
