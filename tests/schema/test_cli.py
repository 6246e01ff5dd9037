"""`ratchet schema`: whole outputs, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click import Context, Option
from click.testing import CliRunner, Result

from ratchet.cli.group import cli
from ratchet.cli.options import complete_rules
from ratchet.errors import JudgeError, RatchetError, UsageError
from ratchet.schema import load_snapshot

PACK = """\
format = 1
name = "mine"
version = "1"
package = "lib"

[schema]
default = "1.0"
snapshots = "schema"

[[schema.shape]]
kind = "markers"
file = "args.py"
class = "Args"
annotation = "A"
marker = "NS"
"""
SNAPSHOT = "# ratchet schema 1\nsize\tparallel\tint\t1\nname\tmodel\tstr\t\nold\tmodel\tstr\t''\n"
TREE = """\
class Args:
    size: A[Optional[int], "How many.", NS("parallel")] = None
    size: A[Optional[int], Arg(help="How many in all."), NS("parallel")] = None
    name: A[str, NS("exec.name")]
    new: A[bool, NS("model")] = False
"""
TEXT = """\
exec.name: 1
  name: str
model: 1
  new: bool = False
parallel: 1
  size: Optional[int] = None
3 fields, from args.py
"""
NOTE = "note: size is declared twice, at args.py:2 and args.py:3; the last wins\n"
DIFFERENCE = """\
added: 1
  model: new: bool = False
removed: 1
  model: old: str = ''
moved: 1
  name: model -> exec.name
retyped: 1
  size: int -> Optional[int]
"""


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine" / "schema").mkdir(parents=True)
    (tmp_path / "mine" / "pack.toml").write_text(PACK)
    (tmp_path / "mine" / "schema" / "1.0.tsv").write_text(SNAPSHOT)
    (tmp_path / "tree" / "python" / "lib").mkdir(parents=True)
    (tmp_path / "tree" / "python" / "lib" / "args.py").write_text(TREE)
    monkeypatch.chdir(tmp_path)


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["schema", *arguments, "--pack", "./mine"], catch_exceptions=False)


def test_extract_text() -> None:
    result = _run("extract", "--root", "tree")
    assert (result.stdout, result.stderr, result.exit_code) == (TEXT, NOTE, 0)


def test_extract_json() -> None:
    result = _run("extract", "--root", "tree/python/lib", "--format", "json")
    shown = json.loads(result.stdout)
    assert (shown["version"], shown["source"], len(shown["notes"])) == (1, "args.py", 1)
    assert shown["fields"] == [
        {
            "name": "size",
            "namespace": "parallel",
            "type": "Optional[int]",
            "default": "None",
            "help": "How many in all.",
        },
        {"name": "name", "namespace": "exec.name", "type": "str", "default": None, "help": None},
        {"name": "new", "namespace": "model", "type": "bool", "default": "False", "help": None},
    ]


def test_extract_to_a_snapshot_that_is_then_shown() -> None:
    result = _run("extract", "--root", "tree", "--out", "mine/schema/1.1.tsv")
    assert (result.stdout, result.stderr) == ("mine/schema/1.1.tsv: 3 fields\n", NOTE)
    assert "How many" not in Path("mine/schema/1.1.tsv").read_text()
    assert load_snapshot(Path("mine/schema"), "1.1").namespace_of("name") == "exec.name"
    assert _run("show", "1.1").stdout == TEXT.replace("args.py", "snapshot 1.1")


@pytest.mark.parametrize(
    ("arguments", "last"),
    [
        ((), "3 fields, from snapshot 1.0"),
        (("1.0",), "3 fields, from snapshot 1.0"),
        (("tree",), "3 fields, from args.py"),
        (("--root", "tree"), "3 fields, from args.py"),
    ],
    ids=["default", "version", "tree", "root"],
)
def test_show(arguments: tuple[str, ...], last: str) -> None:
    assert _run("show", *arguments).stdout.splitlines()[-1] == last


def test_diff_text() -> None:
    result = _run("diff", "1.0", "tree")
    assert (result.stdout, result.stderr, result.exit_code) == (DIFFERENCE, NOTE, 0)


def test_diff_json() -> None:
    shown = json.loads(_run("diff", "1.0", "tree", "--format", "json").stdout)
    assert (shown["old"], shown["new"]) == ("snapshot 1.0", "args.py")
    assert [field["name"] for field in shown["added"]] == ["new"]
    assert [field["name"] for field in shown["removed"]] == ["old"]
    assert [(pair["old"]["namespace"], pair["new"]["namespace"]) for pair in shown["moved"]] == [
        ("model", "exec.name")
    ]
    assert [(pair["old"]["type"], pair["new"]["type"]) for pair in shown["retyped"]] == [
        ("int", "Optional[int]")
    ]


def test_diff_of_the_same_is_empty() -> None:
    assert _run("diff", "1.0", "1.0").stdout == "added: 0\nremoved: 0\nmoved: 0\nretyped: 0\n"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("show", "2.0"), UsageError, r"no schema snapshot of 2\.0; there are: 1\.0; others are folders"),
        (
            ("extract", "--root", "mine"),
            JudgeError,
            r"mine declares no schema \(looked for args\.py\); name the tree",
        ),
        (("diff", "1.0", "../elsewhere"), UsageError, "no schema snapshot of ../elsewhere"),
    ],
    ids=["no such version", "no tree", "no such tree"],
)
def test_refuses(arguments: tuple[str, ...], error: type[RatchetError], message: str) -> None:
    with pytest.raises(error, match=message):
        _run(*arguments)


def test_a_tree_that_breaks_the_rules_writes_nothing() -> None:
    Path("tree/python/lib/args.py").write_text(TREE + "    lost: int = 1\n")
    with pytest.raises(
        JudgeError, match=r"fields without a namespace, where others have one: lost \(args\.py:6\)"
    ):
        _run("extract", "--root", "tree", "--out", "out.tsv")
    assert not Path("out.tsv").exists()


@pytest.mark.parametrize("text", ["", "Args = make()\n"], ids=["empty", "another shape"])
def test_a_snapshot_never_passes_for_a_tree_that_declares_no_fields(text: str) -> None:
    Path("tree/python/lib/args.py").write_text(text)
    for arguments in (("extract", "--root", "tree"), ("show", "tree"), ("diff", "1.0", "tree")):
        with pytest.raises(JudgeError, match=r"lib declares no schema \(looked for args\.py\)"):
            _run(*arguments)


def test_a_pack_without_a_schema_is_refused() -> None:
    Path("mine/pack.toml").write_text(PACK.partition("[schema]")[0])
    with pytest.raises(JudgeError, match=r"the pack mine declares no \[schema\]"):
        _run("show")


SHOWN = "model: 2\n  name: str\n  old: str = ''\nparallel: 1\n  size: int = 1\n3 fields, from snapshot 1.0\n"


def _run_without_pack(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["schema", *arguments], catch_exceptions=False)


@pytest.mark.parametrize(
    "config",
    [
        'packs = ["./mine"]\n',
        'packs = ["./mine"]\n[trees.a]\nroot = "a"\n[trees.b]\nroot = "b"\n',
        '[trees.a]\nroot = "a"\npacks = ["./mine"]\n',
    ],
    ids=["one tree", "two trees", "a tree's own"],
)
def test_the_configuration_names_the_pack(
    config: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("ratchet.toml").write_text(config)
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path / "src")
    assert _run_without_pack("show").stdout == SHOWN
    assert _run_without_pack("show", "1.0").stdout == SHOWN
    with pytest.raises(UsageError, match=r"no schema snapshot of 0\.5\.17; there are: 1\.0"):
        _run_without_pack("diff", "0.5.17", "1.0")
    assert _run_without_pack("extract", "--root", "../tree").stdout == TEXT


def test_an_option_wins_over_the_configuration() -> None:
    Path("ratchet.toml").write_text('packs = ["sglang"]\n')
    assert _run("show").stdout == SHOWN


def test_trees_with_different_packs_ask_for_one() -> None:
    Path("ratchet.toml").write_text(
        '[trees.a]\nroot = "a"\npacks = ["./mine"]\n[trees.b]\nroot = "b"\npacks = ["sglang"]\n'
    )
    with pytest.raises(UsageError, match=r"trees a and b .* have different packs: choose one"):
        _run_without_pack("show")


@pytest.mark.parametrize(
    ("verb", "arguments", "table"),
    [
        ("schema", ("show",), "schema"),
        ("stubs", ("--out", "out"), "schema"),
        ("surface", ("show", "0.5.17"), "surface"),
        ("upgrade", ("--from", "0.5.17", "--to", "0.5.20"), "surface"),
    ],
    ids=["schema", "stubs", "surface", "upgrade"],
)
def test_a_configured_pack_without_a_table_never_gets_the_shipped_one(
    verb: str, arguments: tuple[str, ...], table: str
) -> None:
    Path("ratchet.toml").write_text('packs = ["./mine"]\n')
    Path("mine/pack.toml").write_text(PACK.partition("[schema]")[0])
    said = rf"the pack mine declares no \[{table}\]: add it to .*/mine/pack\.toml, or choose a pack"
    with pytest.raises(JudgeError, match=said):
        CliRunner().invoke(cli, [verb, *arguments], catch_exceptions=False)


def test_completion_offers_the_rules_of_the_configured_pack() -> None:
    Path("ratchet.toml").write_text('packs = ["./mine"]\n')
    assert complete_rules(Context(cli), Option(["--rule"]), "") == []
