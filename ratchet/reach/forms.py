"""Expressions as chains, and what annotations promise as forms."""

from __future__ import annotations

import ast
from collections.abc import Iterator

UNKNOWN, LITERAL, INSTANCE, CONTAINER, IMPORT, TEXT = "?", "!", "@", "#", "^", "'"
CHOICES = 64
"""How many values one expression may stand for before it counts as unknown."""

_INSIDE = (ast.Await, ast.NamedExpr, ast.Starred)
_DISPLAYS = (ast.List, ast.Tuple, ast.Set)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)
_PLAIN = (ast.Constant, ast.JoinedStr, ast.Compare)
_OPTIONAL = ("Optional", "Union", "Annotated", "Final", "ClassVar", "Awaitable", "Required", "NotRequired")
_CLASSES = ("Type", "type")
_PASSED_ON = ("list", "tuple", "set", "sorted", "reversed", "iter", "staticmethod", "classmethod", "partial")
_NOT_CONTAINERS = ("Callable", "Literal")


def forms_of(node: ast.expr) -> tuple[str, ...]:
    """What the value of an expression may be reached by, each a form."""
    plain = _plain_chain(node)
    if plain is not None:
        return (plain,)
    found = tuple(dict.fromkeys(_forms(node, 0)))
    return found if len(found) <= CHOICES else (UNKNOWN,)


def chain_of(node: ast.expr) -> str:
    """The one chain of an expression, `?` in place of a root that is a choice."""
    plain = _plain_chain(node)
    if plain is not None:
        return plain
    found = forms_of(node)
    return found[0] if len(found) == 1 and found[0][0] not in CONTAINER + TEXT else _rootless(node)


def _plain_chain(node: ast.expr) -> str | None:
    """The chain of steps off a name, by far the commonest expression; None for all others."""
    steps = ""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            steps = f".{node.attr}{steps}"
            node = node.value
        elif isinstance(node, ast.Call) and _known_call(node) is None:
            steps = f"(){steps}"
            node = node.func
        elif isinstance(node, ast.Subscript):
            steps = f"[]{steps}"
            node = node.value
        else:
            return None
    return node.id + steps


def _forms(node: ast.expr, depth: int) -> Iterator[str]:
    if depth > 6:
        yield UNKNOWN
        return
    steps: list[str] = []
    while True:
        if isinstance(node, ast.Name):
            yield _joined(node.id, steps)
            return
        if isinstance(node, ast.Attribute):
            steps.append(f".{node.attr}")
            node = node.value
        elif isinstance(node, ast.Call):
            inner = _known_call(node)
            if inner is not None:
                for form in _roots(inner, depth):
                    yield _joined(form, steps)
                return
            steps.append("()")
            node = node.func
        elif isinstance(node, ast.Subscript):
            steps.append("[]")
            node = node.value
        elif isinstance(node, _INSIDE):
            node = node.value
        else:
            break
    for form in _roots(node, depth):
        yield _joined(form, steps)


def _roots(node: ast.expr | str, depth: int) -> Iterator[str]:
    """What an expression that is no name may be; a text is a form already."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield f"{TEXT}{node.value}"
    elif isinstance(node, _PLAIN):
        yield LITERAL
    elif isinstance(node, ast.IfExp):
        yield from _forms(node.body, depth + 1)
        yield from _forms(node.orelse, depth + 1)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _forms(value, depth + 1)
    elif isinstance(node, _DISPLAYS):
        yield from _contained(node.elts, depth)
    elif isinstance(node, ast.Dict):
        yield from _contained(node.values, depth)
    elif isinstance(node, _COMPREHENSIONS):
        yield from _contained([node.elt], depth)
    elif isinstance(node, ast.DictComp):
        yield from _contained([node.value], depth)
    elif isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, *_INSIDE)):
        yield from _forms(node, depth + 1)
    else:
        yield UNKNOWN


def _contained(nodes: list[ast.expr], depth: int) -> Iterator[str]:
    for node in nodes:
        for form in _forms(node, depth + 1):
            yield f"{CONTAINER}{form}"


def _joined(form: str, steps: list[str]) -> str:
    """A form with steps behind it, the last one first: a step into a container takes an element out of it."""
    left = len(steps)
    while left and form[0] in CONTAINER + TEXT:
        step = steps[left - 1]
        if form[0] == TEXT:
            return LITERAL
        if step == "[]":
            form = form[1:]
        elif step == "()":
            return UNKNOWN + "".join(reversed(steps[: left - 1]))
        left -= 1
    return form + "".join(reversed(steps[:left]))


def _rootless(node: ast.expr) -> str:
    steps: list[str] = []
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript, *_INSIDE)):
        if isinstance(node, ast.Attribute):
            steps.append(f".{node.attr}")
        elif isinstance(node, ast.Call):
            steps.append("()")
            node = node.func
            continue
        elif isinstance(node, ast.Subscript):
            steps.append("[]")
        node = node.value
    return UNKNOWN + "".join(reversed(steps))


def passes_on(node: ast.Call) -> bool:
    """Whether a call is one of a builtin that gives what it is handed, or what is in it."""
    return _known_call(node) is not None


def _known_call(node: ast.Call) -> str | ast.expr | None:
    """What a call of a builtin gives, where that can be told: a form, or the expression that it passes on."""
    function, arguments = node.func, node.args
    if isinstance(function, ast.Attribute):
        if function.attr == "import_module" and len(arguments) == 1:
            first = arguments[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                return f"{IMPORT}{first.value}"
        return None
    if not isinstance(function, ast.Name) or not arguments:
        return None
    name = function.id
    if name == "getattr" and len(arguments) >= 2:
        return _named_attribute(arguments[0], arguments[1])
    if name == "cast" and len(arguments) == 2:
        return arguments[1]
    if name in _PASSED_ON and (len(arguments) == 1 or name == "partial"):
        return arguments[0]
    return None


def _named_attribute(owner: ast.expr, name: ast.expr) -> str | ast.expr | None:
    if isinstance(name, ast.Constant) and isinstance(name.value, str) and name.value.isidentifier():
        return ast.Attribute(owner, name.value, ast.Load())
    return f"{_rootless(owner)}.*"


def annotated(node: ast.expr | None) -> tuple[str, ...]:
    """What an annotation promises, each a form; nothing where that is nothing of use."""
    return tuple(dict.fromkeys(_promised(node, 0))) if node is not None else ()


def _promised(node: ast.expr, depth: int) -> Iterator[str]:
    if depth > 6:
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            yield from _promised(ast.parse(node.value, mode="eval").body, depth + 1)
        except (SyntaxError, ValueError):
            return
    elif isinstance(node, (ast.Name, ast.Attribute)):
        yield f"{INSTANCE}{chain_of(node)}"
    elif isinstance(node, ast.BinOp):
        yield from _promised(node.left, depth + 1)
        yield from _promised(node.right, depth + 1)
    elif isinstance(node, ast.Subscript):
        name = chain_of(node.value).rpartition(".")[2]
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        inside = [form for part in parts for form in _promised(part, depth + 1)]
        if name in _OPTIONAL:
            yield from inside
        elif name in _CLASSES:
            yield from (form[1:] for form in inside if form[0] == INSTANCE)
        elif name not in _NOT_CONTAINERS:
            yield from (f"{CONTAINER}{form}" for form in inside)
