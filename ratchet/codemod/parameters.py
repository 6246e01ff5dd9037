"""Parameters that a run leaves without a use: dropped where every call of their function is known."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial

from ratchet.analysis.modules import module_name
from ratchet.codemod.callsites import Function
from ratchet.codemod.families import Families, Family, Site
from ratchet.codemod.mentions import Definition
from ratchet.codemod.model import Drop, Parameter, Plan, Refusal, Rewritten
from ratchet.frozen import dataclass
from ratchet.model import Problem, Span
from ratchet.syntax.document import Document

_WATCHERS = ("locals", "vars", "dir", "eval", "exec")
_SHOWN = 3
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, order=True)
class Dead:
    """A parameter that lost its last use: the file, the function's dotted name, the parameter's own.

    `owner` is the dotted name of the class of which the function is a method; empty for another function.
    """

    path: str
    function: str
    name: str
    owner: str = ""


def dropped(plan: Plan) -> tuple[Drop, ...]:
    """What goes with the parameters of a plan."""
    return tuple(drop for parameter in plan.parameters for drop in parameter.drops)


def dead_parameters(
    item: Rewritten, before: Document | Problem, after: Document | Problem, package: str
) -> frozenset[Dead]:
    """The parameters of a file that were used before a run, and are not after it.

    `before` and `after` are the documents of its bytes, and `package` is the tree's.
    """
    if isinstance(before, Problem) or isinstance(after, Problem):
        return frozenset()
    return frozenset(_dead_in(item, before, after, module_name(package, item.path)[0]))


def _dead_in(item: Rewritten, before: Document, after: Document, module: str) -> Iterator[Dead]:
    words = {word for start, end, _ in item.changes for word in _WORD.findall(before.text[start:end])}
    olds, news = functions_of(before.tree, module), functions_of(after.tree, module)
    for dotted, nodes in olds.items():
        others = news.get(dotted, [])
        for (old, owner), (new, _) in zip(nodes, others, strict=False) if len(nodes) == len(others) else ():
            for name in words.intersection(_names(old)[_is_bound(old, owner) :]):
                if is_unused(new, name) and not is_unused(old, name):
                    yield Dead(item.path, dotted, name, owner)


def functions_of(tree: ast.Module, module: str) -> dict[str, list[tuple[Function, str]]]:
    """The functions of a file by their dotted names, each with the dotted name of the class that it is in."""
    found: dict[str, list[tuple[Function, str]]] = {}
    pending: list[tuple[ast.AST, str, str]] = [(tree, module, "")]
    while pending:
        node, around, owner = pending.pop(0)
        for child in _statements(node):
            if isinstance(child, Function | ast.ClassDef):
                name = f"{around}.{child.name}"
                if isinstance(child, Function):
                    found.setdefault(name, []).append((child, owner))
                pending.append((child, name, name if isinstance(child, ast.ClassDef) else ""))
            else:
                pending.append((child, around, owner))
    return found


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements and branches right inside of a node."""
    for name in ("body", "handlers", "cases", "orelse", "finalbody"):
        part = getattr(node, name, ())
        yield from part if isinstance(part, list) else ()


def _names(node: Function) -> list[str]:
    arguments = node.args
    return [part.arg for part in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _is_bound(node: Function, owner: str) -> bool:
    """Whether the first parameter is the object or class that a method is called on."""
    static = any(isinstance(part, ast.Name) and part.id == "staticmethod" for part in node.decorator_list)
    return bool(owner) and not static


def is_unused(node: Function, name: str, goes: Callable[[ast.AST], bool] = lambda _: False) -> bool:
    """Whether nothing in a function's body, but for what goes, speaks of a name or could unseen."""
    pending: list[ast.AST] = [*node.body]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Name) and part.id in (name, *_WATCHERS):
            return False
        if isinstance(part, ast.Global | ast.Nonlocal) and name in part.names:
            return False
        pending += (child for child in ast.iter_child_nodes(part) if not goes(child))
    return True


def _is_at(document: Document, spans: Collection[Span], node: ast.AST) -> bool:
    return isinstance(node, ast.expr) and document.span(node) in spans


def settle_parameters(
    dead: Sequence[Dead], rewritten: Iterable[Rewritten], families: Families
) -> tuple[Parameter, ...]:
    """Each dead parameter with all that goes with it, or with the reason why it stays."""
    families.gather({(one.function, one.owner) for one in dead})
    return tuple(_Settling(dead, rewritten, families).parameters())


class _Settling:
    def __init__(self, dead: Sequence[Dead], rewritten: Iterable[Rewritten], families: Families) -> None:
        self.dead = dead
        self.known = frozenset((one.path, one.function, one.name) for one in dead)
        self.gone = {
            item.path: {edit.span for edit in item.edits} | {drop.span for drop in item.drops}
            for item in rewritten
        }
        self.families = families
        self.taken: dict[str, list[tuple[int, int]]] = {}

    def parameters(self) -> Iterator[Parameter]:
        done: set[tuple[str, str]] = set()
        for one in self.dead:
            family = self.families.of(one.path, one.function)
            own = next((item for item in family.members if item.dotted == one.function), None)
            place = _parameter(own, one.name) if own is not None else None
            if place is None or (family.name, one.name) in done:
                continue
            done.add((family.name, one.name))
            drops, why = self._drops(family, one.name)
            kept = Refusal("unresolved-call-site", "; ".join(why[:_SHOWN]) + _more(why)) if why else None
            yield Parameter(one.path, place, one.function, one.name, () if kept else drops, kept)

    def _drops(self, family: Family, name: str) -> tuple[tuple[Drop, ...], list[str]]:
        """What goes with a parameter, and what speaks against it."""
        why = list(family.faults)
        places: set[int | None] = set()
        drops: list[Drop] = []
        for member in family.members:
            where = f"{member.path}:{member.line}"
            found = next((part for part in member.parameters if part.name == name), None)
            if found is None:
                why.append(f"{where} defines it without {name}")
                continue
            places.add(member.parameters.index(found) if found.positional else None)
            drops.append(Drop(member.path, found.span, "parameter", found.only_keyword))
        if len(places) > 1:
            why.append(f"{name} stands at different places of the signatures")
        if why or not places:
            return (), why or ["its definition is not found"]
        place = places.pop()
        for site in family.sites:
            passed = _passed(site, name, place)
            if isinstance(passed, str):
                why.append(f"{site.mention.path}:{site.mention.line} {passed}")
            elif passed is not None:
                drops.append(Drop(site.mention.path, passed, "argument"))
        drops = list(dict.fromkeys(drops))
        for member in family.members:
            if not (why or self._is_dead(member, name, drops)):
                where = f"{member.path}:{member.line}"
                why.append(f"{where} overrides or is overridden, and uses {name}")
        if not why:
            why += [
                f"{drop.path}:{drop.span.line} writes it in a way that is not taken apart"
                for drop in drops
                if not self._take(drop)
            ]
        return tuple(drops), why

    def _is_dead(self, member: Definition, name: str, drops: Iterable[Drop]) -> bool:
        """Whether nothing uses a parameter but what goes."""
        if (member.path, member.dotted, name) in self.known:
            return True
        document = self.families.document(member.path)
        if document is None:
            return False
        module = self.families.module(member.path)
        nodes = functions_of(document.tree, module).get(member.dotted, [])
        gone = self.gone.get(member.path, set()) | {drop.span for drop in drops if drop.path == member.path}
        return len(nodes) == 1 and is_unused(nodes[0][0], name, partial(_is_at, document, gone))

    def _take(self, drop: Drop) -> bool:
        """Whether a part can be taken out, beside those that go already."""
        made = self.families.splice_of(drop)
        if made is None:
            return False
        taken = self.taken.setdefault(drop.path, [])
        if any(made.start < end and start < made.end for start, end in taken):
            return False
        taken.append((made.start, made.end))
        return True


def _more(why: Sequence[str]) -> str:
    return f"; and {len(why) - _SHOWN} more" if len(why) > _SHOWN else ""


def _parameter(member: Definition, name: str) -> Span | None:
    return next((part.span for part in member.parameters if part.name == name), None)


def _passed(site: Site, name: str, place: int | None) -> Span | str | None:
    """The argument that a call passes for a parameter; None where it passes none, else what is unclear."""
    by_place = [part for part in site.mention.arguments if part.name in (None, "*")]
    words = {part.name: part for part in site.mention.arguments if part.name not in (None, "*")}
    found = words.get(name)
    if found is None and place is not None:
        at = place - site.shift
        if any(part.name == "*" for part in by_place[: at + 1]):
            return "unpacks its arguments"
        found = by_place[at] if 0 <= at < len(by_place) else None
    if found is None:
        return "unpacks its keywords" if "**" in words else None
    return found.span if found.plain else "passes something that is computed"
