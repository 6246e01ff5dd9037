"""Which schema serves a tree: its own, or the pack's default snapshot."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ratchet.errors import JudgeError
from ratchet.model import Field, Schema, SchemaSource
from ratchet.schema import encode, extract, schema_for, tree_readers
from ratchet.workspace import root_of
from tests.schema.trees import SHAPES, marked, readers

SOURCE = SchemaSource("1.0", "schema", SHAPES)
SNAPSHOT = Schema(
    "", {"size": Field("size", "int", "1", "parallel"), "gone": Field("gone", "str", None, "model")}
)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    (tmp_path / "schema").mkdir()
    (tmp_path / "schema" / "1.0.tsv").write_text(encode(SNAPSHOT), encoding="utf-8")
    return tmp_path


def test_a_tree_with_namespaces_serves_itself(pack: Path) -> None:
    schema = schema_for(*readers(marked('other: A[int, NS("a")]')), SOURCE, pack)
    assert (schema.source, list(schema.fields), schema.notes) == ("args.py", ["other"], ())


def test_a_tree_without_namespaces_takes_them_from_the_snapshot(pack: Path) -> None:
    schema = schema_for(*readers(marked("size: A[str, 'x'] = ''", "own: bool = True")), SOURCE, pack)
    assert schema.source == "args.py, namespaces of snapshot 1.0"
    assert [(f.name, f.type, f.namespace) for f in schema.fields.values()] == [
        ("size", "str", "parallel"),
        ("own", "bool", None),
    ]
    assert schema.notes == (
        "the tree declares fields without namespaces; these come from snapshot 1.0",
        "fields that snapshot 1.0 lacks, and that so have no namespace: own",
        "fields of snapshot 1.0 that the tree lacks: gone",
    )


def test_no_tree_is_served_by_the_snapshot_without_a_note(pack: Path) -> None:
    schema = schema_for(*readers({}), SOURCE, pack)
    assert (schema.source, list(schema.fields), schema.notes) == ("snapshot 1.0", ["size", "gone"], ())


def test_a_tree_of_no_known_shape_is_served_with_a_note(pack: Path) -> None:
    schema = schema_for(*readers({"args.py": "Args = make()\n"}), SOURCE, pack)
    assert list(schema.fields) == ["size", "gone"]
    assert schema.notes == (
        "the tree declares no fields in a shape that the pack knows; snapshot 1.0 serves",
    )


def test_a_broken_tree_is_not_served_by_the_snapshot(pack: Path) -> None:
    with pytest.raises(JudgeError, match=r"args\.py:1 declares the schema and does not parse"):
        schema_for(*readers({"args.py": "class"}), SOURCE, pack)


def test_a_missing_snapshot_names_those_there_are(pack: Path) -> None:
    with pytest.raises(JudgeError, match=r"no schema snapshot of 2\.0; there are: 1\.0$"):
        schema_for(*readers({}), SchemaSource("2.0", "schema", SHAPES), pack)


def test_readers_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    for name in ("a/x.py", "a/b/y.py", "a/z.txt"):
        (tmp_path / name).write_text(name)
    read, list_files = tree_readers(tmp_path)
    assert sorted(list_files("a")) == ["a/b/y.py", "a/x.py"]
    assert (list_files("a/x.py"), list(list_files("nothing"))) == (["a/x.py"], [])
    assert (read("a/x.py"), read("a/nothing.py")) == (b"a/x.py", None)
    with pytest.raises(JudgeError, match="cannot be read: it is no regular file"):
        read("a")
    with pytest.raises(JudgeError, match=r"y\.py cannot be read: Not a directory; make it readable"):
        read("a/x.py/y.py")


@pytest.mark.parametrize("place", ["args.py", "fields/args.py"])
def test_what_is_no_regular_file_is_refused_and_never_waited_for(tmp_path: Path, place: str) -> None:
    (tmp_path / "fields").mkdir()
    os.mkfifo(tmp_path / place)
    with pytest.raises(JudgeError, match=rf"{place} cannot be read: it is no regular file; move it out"):
        extract(*tree_readers(tmp_path), SHAPES)


def test_a_loop_of_links_does_not_stop_the_search(tmp_path: Path) -> None:
    (tmp_path / "fields").mkdir()
    (tmp_path / "fields" / "loop").symlink_to(tmp_path / "fields", target_is_directory=True)
    (tmp_path / "fields" / "one.py").write_text('class One:\n    _PATH = "one"\n    size: int\n')
    schema = extract(*tree_readers(tmp_path), SHAPES)
    assert schema is not None
    assert list(schema.fields) == ["size"]


@pytest.mark.parametrize(
    ("folders", "root"),
    [
        (["python/lib"], "python/lib"),
        (["lib"], "lib"),
        (["lib", "python/lib"], "python/lib"),
        (["srt"], "."),
    ],
    ids=["checkout", "wheel", "checkout first", "the package itself"],
)
def test_source_root(tmp_path: Path, folders: list[str], root: str) -> None:
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
    assert root_of(tmp_path, "lib") == tmp_path / root
