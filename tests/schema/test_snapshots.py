"""The text of snapshots, those that the pack ships, and their agreement with the real trees."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratchet.errors import JudgeError
from ratchet.model import Field, Schema, SchemaSource
from ratchet.schema import (
    compare,
    decode,
    encode,
    extract,
    load_snapshot,
    schema_for,
    snapshot_versions,
    tree_readers,
)
from tests.shipped import PACK
from tests.trees import tree_of

assert PACK.schema is not None
SOURCE: SchemaSource = PACK.schema
FOLDER = Path(PACK.folder) / SOURCE.snapshots
VERSIONS = {
    "0.5.17": 458,
    "0.5.18": 472,
    "0.5.19": 488,
    "0.5.20": 499,
    "0.5.21": 519,
    "0.5.22": 536,
    "0.5.23": 546,
}
NAMESPACES_OF_0_5_17 = {
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

BAD_TEXTS = {
    "empty": "",
    "no header": "size\tparallel\tint\t1\n",
    "a newer format": "# ratchet schema 2\n",
    "a conflict": "# ratchet schema 1\n<<<<<<< ours\nsize\tparallel\tint\t1\n",
    "three cells": "# ratchet schema 1\nsize\tparallel\tint\n",
    "five cells": "# ratchet schema 1\nsize\tparallel\tint\t1\t2\n",
    "no name": "# ratchet schema 1\n\tparallel\tint\t1\n",
    "no type": "# ratchet schema 1\nsize\tparallel\t\t1\n",
    "a blank line": "# ratchet schema 1\n\nsize\tparallel\tint\t1\n",
    "a field twice": "# ratchet schema 1\nsize\tparallel\tint\t1\nsize\tmodel\tint\t1\n",
}

_words = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1)
_names = st.from_regex(r"[a-z_][a-z0-9_]{0,20}", fullmatch=True)
_fields = st.builds(Field, _names, _words, st.none() | _words, st.none() | _names)


@given(st.lists(_fields, unique_by=lambda field: field.name), st.lists(_words.map(str.strip).filter(bool)))
def test_decode_gives_back_what_encode_wrote(fields: list[Field], notes: list[str]) -> None:
    schema = Schema(
        "here", {field.name: field for field in fields}, tuple(" ".join(n.split()) for n in notes)
    )
    assert decode(encode(schema), "here") == schema


@pytest.mark.parametrize("text", BAD_TEXTS.values(), ids=BAD_TEXTS)
def test_bad_text_is_refused(text: str) -> None:
    with pytest.raises(
        JudgeError, match=r"^here: line \d must be .*; write it again with `ratchet schema extract`$"
    ):
        decode(text, "here")


def test_shipped_versions() -> None:
    assert snapshot_versions(FOLDER) == tuple(VERSIONS)


@pytest.mark.parametrize(("version", "count"), VERSIONS.items(), ids=VERSIONS)
def test_shipped_snapshot(version: str, count: int) -> None:
    schema = load_snapshot(FOLDER, version)
    assert len(schema.fields) == count
    assert all(field.namespace and not field.help for field in schema.fields.values())
    assert encode(schema) == (FOLDER / f"{version}.tsv").read_text(encoding="utf-8")


def test_namespaces_of_0_5_17() -> None:
    schema = load_snapshot(FOLDER, "0.5.17")
    assert (
        dict(sorted(Counter(field.namespace for field in schema.fields.values()).items()))
        == NAMESPACES_OF_0_5_17
    )


def test_the_pack_knows_every_namespace() -> None:
    paths = {namespace.path for namespace in PACK.namespaces}
    groups = {f"{namespace.path}.{group}" for namespace in PACK.namespaces for group in namespace.groups}
    for version in VERSIONS:
        used = {field.namespace for field in load_snapshot(FOLDER, version).fields.values()}
        assert used <= paths | groups, version


def test_every_live_shadowed_name_is_a_leaf() -> None:
    schema = load_snapshot(FOLDER, SOURCE.default)
    shadowed = [(name, namespace.path) for namespace in PACK.namespaces for name in namespace.live]
    assert [(name, schema.namespace_of(name)) for name, _ in shadowed] == shadowed


def test_difference() -> None:
    old = Schema(
        "old",
        {
            f.name: f
            for f in (Field("a", "int", "1", "x"), Field("b", "int", None, "x"), Field("c", "int", None, "x"))
        },
    )
    new = Schema(
        "new",
        {
            f.name: f
            for f in (Field("c", "str", None, "y"), Field("a", "int", "2", "x"), Field("d", "int", None, "x"))
        },
    )
    found = compare(old, new)
    assert found.added == (new.fields["d"],)
    assert found.removed == (old.fields["b"],)
    assert found.moved == found.retyped == ((old.fields["c"], new.fields["c"]),)
    assert compare(old, old) == compare(new, new)


def test_differences_are_sorted_by_name() -> None:
    names = "dhbfaceg"
    old = Schema("old", {name: Field(name, "int", None, "x") for name in names})
    new = Schema("new", {name: Field(name, "str", None, "y") for name in names})
    none = Schema("none", {})
    fields = tuple(new.fields[name] for name in sorted(names))
    assert compare(none, new).added == compare(new, none).removed == fields
    assert tuple(after for _, after in compare(old, new).moved) == fields
    assert tuple(after for _, after in compare(old, new).retyped) == fields


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_a_real_tree_gives_its_snapshot(version: str) -> None:
    found = extract(*tree_readers(tree_of(version)), SOURCE.shapes)
    assert found is not None
    assert encode(found) == (FOLDER / f"{version}.tsv").read_text(encoding="utf-8")
    assert sum(bool(field.help) for field in found.fields.values()) > 400


@pytest.mark.slow
def test_a_real_tree_without_markers() -> None:
    schema = schema_for(*tree_readers(tree_of("0.5.16")), SOURCE, Path(PACK.folder))
    assert len(schema.fields) == 445
    assert [field.name for field in schema.fields.values() if not field.namespace] == [
        "enable_gdn_replayssm_spec"
    ]
    assert schema.namespace_of("dcp_size") == "parallel"
    assert schema.notes[0].startswith("dcp_size is declared twice, at srt/server_args.py:")
    assert schema.notes[-1].startswith("fields of snapshot 0.5.17 that the tree lacks: dwdp_size, ")
