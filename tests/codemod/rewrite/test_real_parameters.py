"""Dead parameters of a real release: proofs hold, linters find nothing new, and every call still binds."""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from ratchet.checking.migration import Request, plan_migration
from ratchet.checking.rewriting import Workbench
from ratchet.codemod.model import Parameter, Rewritten
from ratchet.codemod.proof import prove
from ratchet.codemod.style import Style
from ratchet.session import Options, open_sessions
from tests.codemod.linting import complaints
from tests.trees import tree_of

pytestmark = pytest.mark.slow

RELEASE = "0.5.16"
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Moved:
    """A release whose handed parameters moved: its files as they were, those that changed, and what died."""

    old: dict[str, bytes]
    files: tuple[Rewritten, ...]
    parameters: tuple[Parameter, ...]
    style: Style

    @property
    def new(self) -> dict[str, bytes]:
        """The files as they are now."""
        return {**self.old, **{file.path: file.new for file in self.files}}

    @property
    def names(self) -> frozenset[str]:
        """What functions and classes are called whose signatures changed."""
        dropped = [one.function.split(".") for one in self.parameters if one.kept is None]
        return frozenset(parts[-2] if parts[-1] == "__init__" else parts[-1] for parts in dropped)


@pytest.fixture(scope="module")
def moved(trees_cache: Path) -> Moved:
    root = tree_of(RELEASE)
    with open_sessions(Options(root=root, cache_dir=trees_cache)) as sessions:
        migration = plan_migration(sessions[0], Request(everything=True, writes=True, parameters=True))
        bench = Workbench(sessions[0], migration)
        files = bench.rewrite()
        return Moved(
            {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.py")},
            files,
            bench.migration.plan.parameters,
            bench.style,
        )


def test_what_the_maintainers_dropped_is_dropped(moved: Moved) -> None:
    dropped = {one.function.rpartition(".")[2] for one in moved.parameters if one.kept is None}
    assert {
        "compute_logical_to_rank_dispatch_physical_map",
        "_compute_logical_to_all_physical_map",
        "_prefer_same_node_experts",
    } <= dropped
    assert len(dropped) > 40


def test_what_stays_says_why(moved: Moved) -> None:
    kept = [one.kept for one in moved.parameters if one.kept is not None]
    assert kept
    assert all(
        one.reason == "unresolved-call-site" and re.search(r"\w+\.py:\d+|derives", one.detail) for one in kept
    )


def test_every_proof_holds(moved: Moved) -> None:
    assert [problem for file in moved.files for problem in prove(file, moved.style)] == []


def test_linters_find_nothing_new(moved: Moved, tmp_path: Path) -> None:
    for file in moved.files:
        for side, data in (("old", file.old), ("new", file.new)):
            place = tmp_path / side / file.path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
    assert complaints(tmp_path / "new") - complaints(tmp_path / "old") == Counter()


def test_every_call_still_binds(moved: Moved) -> None:
    assert unbound(moved.new, moved.names) - unbound(moved.old, moved.names) == Counter()


def test_a_call_that_was_forgotten_is_seen(moved: Moved) -> None:
    callers = [drop.path for one in moved.parameters for drop in one.drops if drop.path != one.path]
    assert callers
    forgotten = {**moved.new, callers[0]: moved.old[callers[0]]}
    assert unbound(forgotten, moved.names) - unbound(moved.old, moved.names) != Counter()


# A checker that knows nothing of the codemod: calls by name against all signatures of that name.


def unbound(files: Mapping[str, bytes], names: frozenset[str]) -> Counter[str]:
    """How many calls by each name fit no signature of that name."""
    word = re.compile(rb"\b(?:" + b"|".join(re.escape(name.encode()) for name in sorted(names)) + rb")\b")
    trees = {path: ast.parse(data) for path, data in files.items() if word.search(data)}
    signatures: dict[str, list[tuple[inspect.Signature, bool]]] = {}
    for tree in trees.values():
        for name, signature, is_method in defined(tree):
            signatures.setdefault(name, []).append((signature, is_method))
    found: Counter[str] = Counter()
    for tree in trees.values():
        for node in ast.walk(tree):
            name = called(node)
            if isinstance(node, ast.Call) and name in names and name in signatures:
                found[name] += not any(fits(node, *each) for each in signatures[name])
    return found


def defined(tree: ast.Module) -> Iterator[tuple[str, inspect.Signature, bool]]:
    """The functions of a module, and its classes with their constructors."""
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Function):
                is_method = isinstance(node, ast.ClassDef)
                static = any(ast.unparse(part) == "staticmethod" for part in child.decorator_list)
                name = (
                    node.name if isinstance(node, ast.ClassDef) and child.name == "__init__" else child.name
                )
                yield name, signature_of(child.args), is_method and not static


def signature_of(arguments: ast.arguments) -> inspect.Signature:
    """A signature that arguments can be bound to."""
    kinds = inspect.Parameter
    by_place = [*arguments.posonlyargs, *arguments.args]
    required = len(by_place) - len(arguments.defaults)
    made = [
        kinds(part.arg, kinds.POSITIONAL_OR_KEYWORD, default=kinds.empty if at < required else None)
        for at, part in enumerate(by_place)
    ]
    if arguments.vararg:
        made.append(kinds(arguments.vararg.arg, kinds.VAR_POSITIONAL))
    made += [
        kinds(part.arg, kinds.KEYWORD_ONLY, default=kinds.empty if default is None else None)
        for part, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    if arguments.kwarg:
        made.append(kinds(arguments.kwarg.arg, kinds.VAR_KEYWORD))
    return inspect.Signature(made)


def called(node: ast.AST) -> str:
    """The last name of what a call calls."""
    func = node.func if isinstance(node, ast.Call) else None
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""


def fits(call: ast.Call, signature: inspect.Signature, is_method: bool) -> bool:
    """Whether a call's arguments fit; where they are unpacked, whether those that are written do."""
    unpacks = any(isinstance(part, ast.Starred) for part in call.args)
    unpacks = unpacks or any(word.arg is None for word in call.keywords)
    places = [None for part in call.args if not isinstance(part, ast.Starred)]
    words = {word.arg: None for word in call.keywords if word.arg is not None}
    for first in ([None], []) if is_method else ([],):
        try:
            (signature.bind_partial if unpacks else signature.bind)(*first, *places, **words)
        except TypeError:
            continue
        return True
    return False
