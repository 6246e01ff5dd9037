"""The committed stubs of 0.5.17 against the vendored runtime, and against what is generated."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ratchet.schema import extract, load_snapshot, tree_readers
from ratchet.stubs import generate_stubs, read_templates
from ratchet.stubs.types import stub_type
from tests.schema.test_snapshots import FOLDER
from tests.shipped import PACK
from tests.stubs.snippets import VENDOR

STUB = VENDOR / "sglang" / "srt" / "runtime_context.pyi"

INTROSPECT = """
import inspect, json, sys
from sglang.srt import runtime_context as module
from sglang.srt.server_args import ServerArgs

module.publish(ServerArgs(model_path="dummy"), role="test")

def members(bag):
    return {name: members(getattr(bag, name)) if hasattr(getattr(bag, name), "__slots__") else None
            for name in type(bag).__slots__}

accessors = {name: getattr(module, name)() for name in dir(module) if name.startswith("get_")}
parallel = accessors.pop("get_parallel")
bags = {name: members(bag) for name, bag in accessors.items() if hasattr(type(bag), "_path")}
json.dump({
    "bags": bags,
    "parallel": sorted(name for name in dir(parallel) if not name.startswith("_")),
    "leaves": sorted(type(module.get_context().live.parallel).__slots__),
    "context": sorted(name for name in dir(module.get_context()) if not name.startswith("_")),
    "fields": sorted(vars(ServerArgs)["__dataclass_fields__"]),
    "public": sorted(module.__all__),
    "functions": {name: [f"{parameter.kind.name} {parameter.name}" for parameter
                         in inspect.signature(getattr(module, name)).parameters.values()]
                  for name in module.__all__ if inspect.isfunction(getattr(module, name))},
}, sys.stdout)
"""


class _Runtime:
    """What the vendored library really has, found out in a process of its own."""

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": str(VENDOR)}
        done = subprocess.run(
            [sys.executable, "-c", INTROSPECT], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        self.bags: dict[str, dict[str, object]] = found["bags"]
        self.parallel: list[str] = found["parallel"]
        self.leaves: list[str] = found["leaves"]
        self.context: list[str] = found["context"]
        self.fields: list[str] = found["fields"]
        self.public: list[str] = found["public"]
        self.functions: dict[str, list[str]] = found["functions"]


class _Stub:
    """What the committed stub declares."""

    def __init__(self) -> None:
        tree = ast.parse(STUB.read_text(encoding="utf-8"))
        self.classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        self.functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        self.public = next(
            ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        )

    def annotated(self, owner: str) -> dict[str, str]:
        """The annotated names of a class, with what their `Final` holds."""
        return {
            node.target.id: ast.unparse(node.annotation).removeprefix("Final[").removesuffix("]")
            for node in self.classes[owner].body
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        }

    def members(self, owner: str) -> dict[str, object]:
        """The leaves of a namespace's class, and the members of its groups."""
        return {
            name: self.members(type_) if type_ in self.classes else None
            for name, type_ in self.annotated(owner).items()
        }

    def methods(self, owner: str) -> dict[str, ast.FunctionDef]:
        """The methods and properties of a class."""
        return {node.name: node for node in self.classes[owner].body if isinstance(node, ast.FunctionDef)}


@pytest.fixture(scope="module")
def runtime() -> _Runtime:
    return _Runtime()


@pytest.fixture(scope="module")
def stub() -> _Stub:
    return _Stub()


def _keywords(function: ast.FunctionDef) -> list[str]:
    return sorted(argument.arg for argument in function.args.kwonlyargs)


def test_the_committed_stub_is_what_is_generated() -> None:
    pack = PACK
    schema = load_snapshot(FOLDER, "0.5.17")
    made = generate_stubs(schema, pack.namespaces, read_templates(Path(pack.folder)), None, "0.5.17")
    assert made.files == (("sglang/srt/runtime_context.pyi", STUB.read_text(encoding="utf-8")),)


def test_namespaces_have_the_same_members(runtime: _Runtime, stub: _Stub) -> None:
    accessors = {
        name: ast.unparse(function.returns)
        for name, function in stub.functions.items()
        if name in runtime.bags and function.returns
    }
    assert {name: stub.members(owner) for name, owner in accessors.items()} == runtime.bags


def test_parallel_has_the_same_members(runtime: _Runtime, stub: _Stub) -> None:
    methods = stub.methods("ParallelContext")
    assert sorted(methods) == runtime.parallel
    assert sorted(stub.annotated("ParallelContext")) == sorted(set(runtime.leaves) - methods.keys())
    assert _keywords(methods["override"]) == sorted(
        {*runtime.leaves, *runtime.parallel} - {"override", "dcp_enabled"}
    )


def test_the_context_has_the_same_members(runtime: _Runtime, stub: _Stub) -> None:
    methods = stub.methods("RuntimeContext")
    declared = methods.keys() | stub.annotated("RuntimeContext").keys()
    assert sorted(name for name in declared if not name.startswith("_")) == runtime.context
    assert _keywords(methods["override"]) == runtime.fields


def test_scoped_overrides_take_the_leaves_of_their_namespace(stub: _Stub) -> None:
    for name, owner in stub.classes.items():
        methods = {node.name: node for node in owner.body if isinstance(node, ast.FunctionDef)}
        if methods.keys() == {"override"}:
            leaves = {leaf for leaf, type_ in stub.annotated(name).items() if type_ not in stub.classes}
            assert _keywords(methods["override"]) == sorted(leaves), name


def test_public_names_and_signatures_are_the_same(runtime: _Runtime, stub: _Stub) -> None:
    assert sorted(stub.public) == runtime.public
    declared = {
        name: [
            *(f"POSITIONAL_OR_KEYWORD {argument.arg}" for argument in function.args.args),
            *(f"KEYWORD_ONLY {argument.arg}" for argument in function.args.kwonlyargs),
        ]
        for name, function in stub.functions.items()
    }
    assert declared == runtime.functions


@pytest.mark.slow
def test_stubtest_passes(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "sglang.srt.runtime_context"],
        env={**os.environ, "MYPYPATH": str(VENDOR), "PYTHONPATH": str(VENDOR)},
        cwd=tmp_path,  # where it leaves its cache
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "Success: no issues found in 1 module\n"), done.stdout


def test_the_record_has_the_types_and_defaults_of_the_snapshot() -> None:
    pack = PACK
    assert pack.schema is not None
    own, snapshot = (
        extract(*tree_readers(VENDOR / "sglang"), pack.schema.shapes),
        load_snapshot(FOLDER, "0.5.17"),
    )
    assert own is not None
    pairs = [(field, own.fields[name]) for name, field in snapshot.fields.items()]
    assert len(pairs) == len(own.fields)
    assert [field.name for field, mine in pairs if stub_type(field.type) != stub_type(mine.type)] == [
        "modelopt_quant"  # a bare Dict, whose parameters the vendored record says
    ]
    assert {
        field.name: (field.default, mine.default) for field, mine in pairs if field.default != mine.default
    } == {
        "encoder_register_urls": ("dataclasses.field(default_factory=list)", "field(default_factory=list)"),
        "encoder_transfer_backend": ("ENCODER_TRANSFER_BACKEND_CHOICES[0]", "'auto'"),
        "encoder_urls": ("dataclasses.field(default_factory=list)", "field(default_factory=list)"),
        "speculative_ngram_capacity": ("10 * 1000 * 1000", "10000000"),
        "uvicorn_access_log_exclude_prefixes": (
            "dataclasses.field(default_factory=lambda: list(DEFAULT_UVICORN_ACCESS_LOG_EXCLUDE_PREFIXES))",
            "field(default_factory=list)",
        ),
    }
