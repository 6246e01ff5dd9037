"""Reads what a tree offers from its syntax trees; nothing is imported."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from ratchet.analysis.imports import absolute
from ratchet.analysis.modules import module_name
from ratchet.errors import JudgeError
from ratchet.frozen import dataclass, field
from ratchet.model import Pack, SurfaceSource
from ratchet.schema import ListFiles, ReadFile, extract
from ratchet.surface.model import Module, Release
from ratchet.surface.signatures import signatures_of

_STAR = "*"
_LONGEST_TEXT = 100
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(slots=True)
class _Read:
    """What one file says; stars are the modules whose names it takes over."""

    defined: set[str] = field(default_factory=set)
    passed: set[str] = field(default_factory=set)
    asked: set[tuple[str, str]] = field(default_factory=set)
    refusing: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    signatures: dict[str, str] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    listed: frozenset[str] | None = None
    hidden: frozenset[str] = frozenset()
    open: bool = False
    is_package: bool = False


def read_release(engine: str, read: ReadFile, list_files: ListFiles, pack: Pack) -> Release:
    """The surface of a tree. `read` and `list_files` are relative to the source root.

    Raises JudgeError for a file that cannot be read or does not parse, for a tree without any of the pack's
    folders, and where the pack has no table `[surface]`.
    """
    source = source_of(pack)
    paths = sorted({path for folder in source.folders for path in list_files(folder) if path.endswith(".py")})
    if not paths:
        raise JudgeError(f"the tree has no file in {', '.join(source.folders)}; name another with --root")
    found: dict[str, _Read] = {}
    for path in paths:
        module, is_package = module_name(pack.package, path)
        found[module] = _read(path, read(path) or b"", module, is_package, pack.package, source)
    for parent in {parent for module in found for parent in parents_of(module)} - found.keys():
        if "." in parent:
            found[parent] = _Read()  # a folder without an __init__.py is a package too
    _resolve_stars(found)
    schema = extract(read, list_files, pack.schema.shapes) if pack.schema else None
    fields = {name: item.namespace or "" for name, item in schema.fields.items()} if schema else {}
    tops = tuple(f"{pack.package}.{folder}".replace("/", ".") for folder in source.folders)
    asked = {pair for item in found.values() for pair in item.asked}
    modules = {name: _module(name, item, asked) for name, item in sorted(found.items())}
    return Release(engine, tops, modules, fields)


def parents_of(module: str) -> Iterator[str]:
    """The packages that a module lies in, by their dotted names."""
    while module := module.rpartition(".")[0]:
        yield module


def source_of(pack: Pack) -> SurfaceSource:
    """What the pack says of surfaces. Raises JudgeError where it says nothing."""
    if pack.surface is None:
        raise JudgeError(
            f"the pack {pack.name} declares no [surface]: add it to {pack.folder}/pack.toml, or choose a pack"
            " with --pack"
        )
    return pack.surface


def _module(dotted: str, item: _Read, asked: set[tuple[str, str]]) -> Module:
    """A module; `asked` are the names that the tree's modules import, each with the module they name."""
    passed = item.passed - item.defined
    public = {name for name in passed if item.is_package or (dotted, name) in asked}
    return Module(
        frozenset(item.defined), frozenset(public), frozenset(item.refusing), frozenset(item.texts),
        item.signatures, item.open, frozenset(passed - public),
    )  # fmt: skip


def _read(
    path: str, data: bytes, module: str, is_package: bool, package: str, source: SurfaceSource
) -> _Read:
    try:
        tree = ast.parse(data, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        raise JudgeError(f"{path}:{line} does not parse, so its names are not known; fix that file") from None
    found = _Read(is_package=is_package)
    for part in ast.walk(tree):
        if isinstance(part, ast.ImportFrom):
            origin = absolute(module, is_package, part.level, part.module)
            found.asked |= {(origin, alias.name) for alias in part.names}
    for node in _top(tree.body):
        if isinstance(node, ast.ImportFrom):
            _import(found, node, absolute(module, is_package, node.level, node.module), package)
        elif isinstance(node, ast.Import):
            found.passed |= {a.asname for a in node.names if a.asname and _within(a.name, package)}
        else:
            _define(found, node)
    found.hidden = frozenset(_hidden(tree)) if found.listed is None else frozenset()
    found.open |= "__getattr__" in found.defined
    detailed = any(fnmatchcase(path, glob) for glob in source.detailed)
    if detailed:
        found.signatures = signatures_of(tree)
    if detailed or found.open:
        found.texts = set(_texts(tree))
    return found


def _top(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when the module is imported, those in branches and blocks included."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
            for name in ("body", "orelse", "finalbody"):
                yield from _top(getattr(node, name, ()))
            for handler in getattr(node, "handlers", ()):
                yield from _top(handler.body)


def _import(found: _Read, node: ast.ImportFrom, origin: str, package: str) -> None:
    if any(alias.name == _STAR for alias in node.names):
        if _within(origin, package):
            found.stars.append(origin)
        else:
            found.open = True
    elif _within(origin, package):
        found.passed |= {alias.asname or alias.name for alias in node.names}


def _define(found: _Read, node: ast.stmt) -> None:
    if isinstance(node, (*_Function, ast.ClassDef)):
        found.defined.add(node.name)
        if isinstance(node, _Function) and _only_raises(node):
            found.refusing.add(node.name)
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
        found.defined |= names
        if "__all__" in names and isinstance(node.value, ast.List | ast.Tuple | ast.BinOp):
            found.listed = frozenset(_texts(node.value)) | (found.listed or frozenset())
    elif type(node).__name__ == "TypeAlias":
        found.defined.add(node.name.id)  # type: ignore[attr-defined]  # new in Python 3.12


def _hidden(tree: ast.Module) -> Iterator[str]:
    """What a computed `__all__` leaves out: the keys of a table, where it says `name not in TABLE`."""
    computed = [node for node in tree.body if isinstance(node, ast.Assign) and _target(node) == "__all__"]
    tables = {
        part.comparators[0].id
        for node in computed
        for part in ast.walk(node.value)
        if isinstance(part, ast.Compare) and isinstance(part.ops[0], ast.NotIn)
        if isinstance(part.comparators[0], ast.Name)
    }
    for node in tree.body if tables else ():
        if isinstance(node, ast.Assign) and _target(node) in tables:
            keys = [*getattr(node.value, "keys", ()), *getattr(node.value, "elts", ())]
            subscripted = isinstance(node.targets[0], ast.Subscript)
            for part in [node.targets[0]] if subscripted else keys:
                yield from _texts(part)


def _target(node: ast.Assign) -> str:
    """The name that an assignment is to, or that it puts something into."""
    target = node.targets[0]
    return getattr(target.value if isinstance(target, ast.Subscript) else target, "id", "")


def _only_raises(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a public function is there for nothing but its message; abstract ones are methods."""
    body = node.body
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    return len(body) == 1 and isinstance(body[0], ast.Raise) and body[0].exc is not None


def _texts(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, str) and len(value) <= _LONGEST_TEXT and value.isidentifier():
            yield value


def _within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def _resolve_stars(found: Mapping[str, _Read]) -> None:
    """Pass on what `from module import *` takes over, until nothing is added any more."""
    changed = True
    while changed:
        changed = False
        for item in found.values():
            for origin in item.stars:
                names, is_open = _starred(found.get(origin))
                if not names <= item.passed or (is_open and not item.open):
                    item.passed |= names
                    item.asked |= {(origin, name) for name in names}
                    item.open |= is_open
                    changed = True


def _starred(origin: _Read | None) -> tuple[frozenset[str], bool]:
    if origin is None:
        return frozenset(), True
    if origin.listed is not None:
        return origin.listed, False
    everything: Sequence[str] = [*(origin.defined - origin.hidden), *(origin.passed - origin.hidden)]
    return frozenset(name for name in everything if not name.startswith("_")), origin.open
