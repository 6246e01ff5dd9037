"""The record: every field of the engine's 0.5.17, read-only, resolved once."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import pytest
from sglang.srt.arg_groups.arg_utils import NS, field_namespaces
from sglang.srt.server_args import ServerArgs

SNAPSHOT = Path(__file__).parents[2] / "rules" / "sglang" / "schema" / "0.5.17.tsv"

FIELDS_OF_NAMESPACE = {
    "device": 11,
    "disagg": 24,
    "exec.comm": 13,
    "exec.deterministic": 2,
    "exec.dllm": 3,
    "exec.features": 12,
    "exec.graph": 19,
    "exec.kernel": 21,
    "exec.mamba": 17,
    "exec.moe": 35,
    "exec.offload": 5,
    "exec.overlap": 3,
    "lora": 14,
    "memory": 21,
    "mm": 13,
    "model": 41,
    "observability": 43,
    "parallel": 36,
    "schedule": 36,
    "serving": 54,
    "spec": 35,
}


def test_fields_per_namespace() -> None:
    assert Counter(field_namespaces(ServerArgs).values()) == FIELDS_OF_NAMESPACE


def test_fields_are_those_of_the_snapshot() -> None:
    rows = [line.split("\t") for line in SNAPSHOT.read_text().splitlines() if not line.startswith("#")]
    assert {row[0]: row[1] for row in rows} == field_namespaces(ServerArgs)


def test_defaults_are_those_of_the_snapshot() -> None:
    rows = [line.split("\t") for line in SNAPSHOT.read_text().splitlines() if not line.startswith("#")]
    simple = {row[0]: row[3] for row in rows if row[3].isidentifier() or row[3][:1] in "'-0123456789"}
    record = ServerArgs("dummy")
    expected = {name: default for name, default in simple.items() if default and "*" not in default}
    assert {name: repr(getattr(record, name)) for name in expected} == {
        name: repr(float(default) if "." in default else int(default))
        if default.lstrip("-").replace(".", "").isdigit()
        else default
        for name, default in expected.items()
    }


def test_only_the_model_is_required() -> None:
    required = [
        field.name
        for field in dataclasses.fields(ServerArgs)
        if field.default is field.default_factory is dataclasses.MISSING
    ]
    assert required == ["model_path"]


def test_a_bare_store_is_refused() -> None:
    record = ServerArgs("dummy")
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.tp_size = 2  # type: ignore[misc]


def test_copy_with_is_independent() -> None:
    record = ServerArgs("dummy", numa_node=[0])
    twin = record.copy_with(tp_size=2)
    assert twin.numa_node is not None
    twin.numa_node.append(1)
    assert (record.tp_size, record.numa_node) == (1, [0])
    assert (twin.tp_size, twin.numa_node) == (2, [0, 1])


def test_copy_with_names_what_is_no_field() -> None:
    with pytest.raises(TypeError, match="no field dp_siz, tp_siz:"):
        ServerArgs("dummy").copy_with(tp_siz=2, dp_size=1, dp_siz=2)


@pytest.mark.parametrize(
    "duplicate",
    [copy.copy, copy.deepcopy, lambda record: pickle.loads(pickle.dumps(record))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_the_record_travels(duplicate: Any) -> None:
    record = ServerArgs("dummy", tp_size=3)
    assert duplicate(record) == record


@pytest.mark.parametrize(
    ("fields", "layout"),
    [
        pytest.param({}, "page_first_direct", id="page_first_becomes_direct"),
        pytest.param({"hicache_mem_layout": "layer_first"}, "layer_first", id="another_layout_stays"),
        pytest.param({"hicache_io_backend": "kernel"}, "page_first", id="kernel_io_stays"),
        pytest.param({"enable_hierarchical_cache": False}, "page_first", id="cache_off_stays"),
        pytest.param({"model_path": "dummy"}, "page_first", id="dummy_skips_resolution"),
    ],
)
def test_the_layout_for_direct_io_is_settled_in_resolution(fields: dict[str, Any], layout: str) -> None:
    direct = {"model_path": "org/model", "enable_hierarchical_cache": True, "hicache_io_backend": "direct"}
    assert ServerArgs(**{**direct, **fields}).hicache_mem_layout == layout


def test_a_copy_is_not_resolved_again() -> None:
    record = ServerArgs("org/model", enable_hierarchical_cache=True, hicache_io_backend="direct")
    assert record.copy_with(hicache_mem_layout="page_first").hicache_mem_layout == "page_first"


def test_a_field_without_a_namespace_is_an_error() -> None:
    record = dataclasses.make_dataclass("Record", [("loose", int)])
    with pytest.raises(TypeError, match=r"Record\.loose declares no namespace"):
        field_namespaces(record)


def test_a_name_that_is_leaf_and_group_is_an_error() -> None:
    record = dataclasses.make_dataclass(
        "Record", [("moe", Annotated[int, NS("exec")]), ("backend", Annotated[str, NS("exec.moe")])]
    )
    with pytest.raises(TypeError, match=r"Record\.moe is a leaf of `exec` and a group"):
        field_namespaces(record)
