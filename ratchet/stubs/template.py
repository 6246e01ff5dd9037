"""Templates of stubs: `.pyi` files that say in comments where the generated parts go.

# ratchet: classes           one class a namespace, but for those that the template writes itself
# ratchet: accessors         one function a namespace, returning its class
# ratchet: leaves exec.moe   in a class: the leaves, the groups and the scoped override of a namespace;
                             properties above the line are live: they win over leaves of the same name,
                             and are keywords of the scoped override too
# ratchet: override          in a class: the method that writes fields of every namespace by keyword
# ratchet: rest              what the tree's own module defines beside all this, untyped
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter

from ratchet.errors import JudgeError
from ratchet.frozen import dataclass
from ratchet.model import Namespace
from ratchet.stubs.bags import Bag, all_leaves
from ratchet.stubs.types import StubType

_MARKER = re.compile(r"^(?P<indent> *)# ratchet: (?P<part>[a-z]+) ?(?P<path>[\w.]*)$")


@dataclass(frozen=True, slots=True)
class _Parts:
    """What the parts of one template are generated from; `names` and `owners` go by the path of the bag."""

    path: str
    tree: ast.Module
    bags: Mapping[str, Bag]
    names: Mapping[str, str]
    owners: Mapping[str, ast.ClassDef]
    namespaces: Sequence[Namespace]
    module: bytes | None

    def made(self, number: int, marker: re.Match[str]) -> list[str]:
        """The lines that stand for a marker."""
        match marker["part"], marker["path"]:
            case "classes", "":
                return _classes(
                    [bag for bag in self.bags.values() if bag.path not in self.owners], self.names
                )
            case "accessors", "":
                return _accessors(self.namespaces, self.names, self.path)
            case "override", "":
                return _method("override", ("self", "source: str"), all_leaves(self.bags), "None")
            case "rest", "":
                return _rest(self.module, _defined(self.tree) | _accessor_names(self.namespaces))
            case "leaves", bag_path if bag_path in self.bags:
                owner = self.owners[bag_path]
                return _members(self.bags[bag_path], self.names, _live(owner, number), _defined(owner))
            case "leaves", missing if missing:
                raise JudgeError(
                    f"{self.path}:{number}: the schema has no namespace {missing}, "
                    "which the template asks for; name another tree or pack"
                )
        text = marker.group().strip()
        raise JudgeError(f"{self.path}:{number}: nothing to generate for {text!r}; correct the line")


def fill(
    path: str, template: str, bags: Mapping[str, Bag], namespaces: Sequence[Namespace], module: bytes | None
) -> str:
    """The stub that a template gives. `path` is the stub's; `module` is the source of the module it types.

    Raises JudgeError for a line that asks for a part that cannot be generated there.
    """
    try:
        tree = ast.parse(template, path)
    except SyntaxError as error:
        raise JudgeError(
            f"{path}:{error.lineno or 0}: the template does not parse ({error.msg}); correct it"
            " (a class needs a member beside a line that is generated)"
        ) from error
    lines = template.splitlines()
    markers = {number: found for number, line in enumerate(lines, 1) if (found := _MARKER.match(line))}
    owners = {found["path"]: _owner(tree, number, path) for number, found in markers.items() if found["path"]}
    names = {bag.path: bag.class_name for bag in bags.values()}
    names.update({bag_path: owner.name for bag_path, owner in owners.items()})
    parts = _Parts(path, tree, bags, names, owners, namespaces, module)
    filled: list[str] = []
    for number, line in enumerate(lines, 1):
        marker = markers.get(number)
        if marker is None:
            filled.append(line)
        else:
            filled += [f"{marker['indent']}{made}".rstrip() for made in parts.made(number, marker)]
    return "\n".join(filled) + "\n"


def _owner(tree: ast.Module, line: int, path: str) -> ast.ClassDef:
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.lineno < line < (node.end_lineno or 0):
            return node
    raise JudgeError(f"{path}:{line}: leaves belong inside of a class, above its last member; move the line")


def _defined(owner: ast.Module | ast.ClassDef) -> set[str]:
    defined: set[str] = set()
    for node in owner.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            defined.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            defined.add(node.target.id)
    return defined


def _live(owner: ast.ClassDef, line: int) -> list[tuple[str, StubType]]:
    return [
        (node.name, StubType(ast.unparse(node.returns)))
        for node in owner.body
        if isinstance(node, ast.FunctionDef) and node.returns and node.decorator_list and node.lineno < line
    ]


def _classes(bags: Iterable[Bag], names: Mapping[str, str]) -> list[str]:
    lines: list[str] = []
    for bag in bags:
        members = _members(bag, names, [], set())
        lines += ["@type_check_only", f"class {names[bag.path]}:", *(f"    {line}" for line in members), ""]
    return lines[:-1]


def _members(
    bag: Bag, names: Mapping[str, str], live: list[tuple[str, StubType]], defined: set[str]
) -> list[str]:
    lines = [f"{name}: Final[{leaf.text}]" for name, leaf in bag.leaves if name not in defined]
    lines += [f"{group.rpartition('.')[2]}: Final[{names[group]}]" for group in bag.groups]
    if bag.scoped and bag.scoped not in defined:
        keywords = sorted({**dict(bag.leaves), **dict(live)}.items(), key=itemgetter(0))
        lines += _method(bag.scoped, ("self",), keywords, f"AbstractContextManager[{names[bag.path]}]")
    return lines


def _method(
    name: str, first: Sequence[str], leaves: Iterable[tuple[str, StubType]], returns: str
) -> list[str]:
    keywords = [f"{leaf}: {type_.text} = ..." for leaf, type_ in leaves]
    if not keywords:
        return [f"def {name}({', '.join(first)}) -> {returns}: ..."]
    parameters = (*first, "*", *keywords)
    return [f"def {name}(", *(f"    {parameter}," for parameter in parameters), f") -> {returns}: ..."]


def _accessors(namespaces: Iterable[Namespace], names: Mapping[str, str], path: str) -> list[str]:
    module = path.removesuffix(".pyi").replace("/", ".")
    functions = [(namespace.accessor.rpartition("."), namespace.path) for namespace in namespaces]
    return sorted(
        f"def {function}() -> {names[bag_path]}: ..."
        for (owner, _, function), bag_path in functions
        if owner == module and bag_path in names
    )


def _accessor_names(namespaces: Iterable[Namespace]) -> set[str]:
    return {namespace.accessor.rpartition(".")[2] for namespace in namespaces}


def _rest(module: bytes | None, defined: set[str]) -> list[str]:
    lines: list[str] = []
    for node in ast.parse(module or b"").body:
        name = getattr(node, "name", "_")
        if name.startswith("_") or name in defined:
            continue
        defined.add(name)
        if isinstance(node, ast.ClassDef):
            lines += ["@type_check_only", f"class {name}:"]
            lines += ["    def __init__(self, *args: Any, **kwargs: Any) -> None: ..."]
            lines += ["    def __getattr__(self, name: str) -> Any: ..."]
        else:
            lines += ["@type_check_only", f"def {name}(*args: Any, **kwargs: Any) -> Any: ..."]
    return lines
