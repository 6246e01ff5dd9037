"""`ratchet flow`: what it lists, draws and refuses; and what `ratchet explain` says of such sites."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path
from shutil import copytree
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from ratchet.cli.run import run
from tests.flow.trees import plant, split

PACK = Path(__file__).parents[2] / "rules" / "sglang"

TREE = """\
### srt/server_args.py
class ServerArgs:
    def settle(self):
        self.page_size = self.page_size or 1

    def pages(self, tokens):
        return tokens // self.page_size
### srt/model_executor/gate.py
def close(server_args, tokens):
    server_args.override("gate", page_size=1)
    return server_args.pages(tokens)
### srt/mem_cache/pool.py
from sglang.srt.runtime_context import get_context, get_schedule

SIZE = get_schedule().page_size

def report(pool):
    pool.sizes.append(get_schedule().page_size)
    return get_context().resolved_server_args_dict()
"""

FULL = """\
page_size of schedule

writes on the record: 2
  srt/model_executor/gate.py:2:5  close; supplied; any time; scheduler  server_args.override(page_size)  \
lost-write
  srt/server_args.py  while it is resolved: line 3

reads on the record: 2
  srt/server_args.py:6:26  ServerArgs.pages; constructed; any time; boundary: the resolution pipeline: it \
makes the values that everyone else reads  self.page_size
  srt/server_args.py  while it is resolved: line 3

reads on the namespace: 2
  srt/mem_cache/pool.py:3:8  module; namespace; import  get_schedule().page_size  unpublished-read
  srt/mem_cache/pool.py:6:23  report; namespace; after publish  get_schedule().page_size

reads the whole configuration, and is no reader of this field:
  srt/mem_cache/pool.py:7: resolved_server_args_dict()
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return plant(tmp_path / "sglang", split(TREE))


def flow(tree: Path, *arguments: str) -> int:
    return run(["flow", *arguments, "--root", str(tree), "--pack", "sglang", "--no-cache", "--jobs", "1"])


def test_a_field_in_full(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert flow(tree, "page_size") == 0
    assert capsys.readouterr().out.replace(f"{tree}/", "") == FULL


def test_the_table_of_fields(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert flow(tree) == 0
    _, row, last = capsys.readouterr().out.splitlines()
    assert re.split(r"  +", row) == [
        "page_size",
        "schedule",
        "1",
        "1",
        "0",
        "2",
        "lost-write, unpublished-read",
    ]
    assert last.startswith("1 field, 1 with an end that a flow rule counts")


@pytest.mark.parametrize("field", [(), ("page_size",)])
def test_the_json_is_what_its_schema_says(
    tree: Path, field: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert flow(tree, *field, "--format", "json") == 0
    report = json.loads(capsys.readouterr().out)
    file = resources.files("ratchet") / "schemas" / "flow.schema.json"
    schema = json.loads(file.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    assert [error.message for error in Draft202012Validator(schema).iter_errors(report)] == []
    (page_size,) = report["fields"]
    assert page_size["rules"] == ["lost-write", "unpublished-read"]
    assert bool(page_size["wholes"]) == bool(field)


def test_the_picture_holds_every_end(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert flow(tree, "page_size", "--graph") == 0
    drawn = capsys.readouterr().out
    root = ElementTree.fromstring(drawn)
    shown = [element.text for element in root.iter() if element.text]
    for where in ("srt/model_executor/gate.py:2", "srt/mem_cache/pool.py:3", "srt/mem_cache/pool.py:6"):
        assert where in shown
    assert flow(tree, "page_size", "--format", "dot") == 0
    text = capsys.readouterr().out
    assert text.count(" -> ") == len([each for each in shown if each and "srt/" in each])
    assert 'label="srt/model_executor/gate.py:2\\nclose · lost-write", color=red' in text


def test_names_in_a_picture_are_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = 'srt/<b onload="x">&"; .py'
    files = {
        hostile: "def f(server_args):\n    server_args.page_size = 1\n    return server_args.page_size\n"
    }
    tree = plant(tmp_path / "sglang", files)
    assert flow(tree, "page_size", "--graph") == 0
    root = ElementTree.fromstring(capsys.readouterr().out)
    assert not [element for element in root.iter() if element.tag.endswith("}b")]
    assert flow(tree, "page_size", "--format", "dot") == 0
    label = next(line for line in capsys.readouterr().out.splitlines() if "writer0 [" in line)
    assert re.fullmatch(r'  writer0 \[label="(?:[^"\\]|\\.)*"(?:, \w+=\w+)?\];', label)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("page_sice",), "no field is called page_sice"),
        (("--graph",), "a picture shows one field"),
        (("--format", "dot"), "a picture shows one field"),
    ],
)
def test_what_it_refuses(
    tree: Path, arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert flow(tree, *arguments) == 2
    assert says in capsys.readouterr().err


def test_a_file_that_cannot_be_judged_is_told(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "srt/broken.py").write_text("def f(server_args:\n", encoding="utf-8")
    assert flow(tree) == 3
    said = capsys.readouterr()
    assert "srt/broken.py:1: not judged" in said.err
    assert "broken" not in said.out
    assert flow(plant(tree.parent / "none", {"srt/notes.txt": ""})) == 3
    assert "no Python file was found" in capsys.readouterr().err


WORN = """\
### srt/model_executor/gate.py
def close(server_args):
    server_args.override("gate", page_size=1)
### srt/model_executor/door.py
def close(server_args):
    server_args.override("door", page_size=1)
### srt/mem_cache/pool.py
from sglang.srt.runtime_context import get_schedule

SIZE = get_schedule().page_size

def report():
    return get_schedule().page_size, get_schedule().schedule_policy
"""


def explain(tree: Path, where: str, *options: str, pack: str = "sglang") -> int:
    place = ["--root", str(tree), "--pack", pack, "--no-cache", "--jobs", "1", "--baselines", str(tree)]
    return run(["explain", where, *place, *options])


@pytest.mark.parametrize(
    ("where", "counted", "others"),
    [
        pytest.param(
            "srt/model_executor/gate.py:2",
            {"override": ["server-args-override"], "page_size": ["lost-write"]},
            {},
            id="a-write",
        ),
        pytest.param(
            "srt/model_executor/door.py:2",
            {"override": ["server-args-override"], "page_size": []},
            {"lost-write": "exempt: it is nobody's"},
            id="exempt",
        ),
        pytest.param("srt/mem_cache/pool.py:3", {"page_size": ["unpublished-read"]}, {}, id="at-import"),
        pytest.param("srt/mem_cache/pool.py:6", {"page_size": [], "schedule_policy": []}, {}, id="in-step"),
    ],
)
def test_a_flow_rule_is_among_those_that_count(
    tmp_path: Path,
    where: str,
    counted: dict[str, list[str]],
    others: dict[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    tree = plant(tmp_path / "sglang", split(WORN))
    pack = copytree(PACK, tmp_path / "pack")
    with (pack / "lost-write.toml").open("a", encoding="utf-8") as file:
        file.write('[[exempt]]\npaths = ["srt/model_executor/door.py"]\nreason = "it is nobody\'s"\n')
    assert explain(tree, where, "--format", "json", pack=str(pack)) == 0
    accesses = json.loads(capsys.readouterr().out)["accesses"]
    assert {each["field"]: each["counted_by"] for each in accesses} == counted
    flow_rules = ("lost-write", "stale-read", "unpublished-read")
    told = {rule: why for each in accesses for rule, why in each["not_counted_by"].items()}
    assert {rule: why for rule, why in told.items() if rule in flow_rules} == others


def test_a_site_is_explained_by_both_ends(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    explain(tree, f"{tree}/srt/model_executor/gate.py:2")
    said = capsys.readouterr().out
    assert "site of lost-write: server_args.override(page_size)" in said
    assert f"  read on the namespace: {tree}/srt/mem_cache/pool.py:6 (report)" in said
    assert "  instead: Write with get_context().override(source, field=value), in one step with" in said
    explain(tree, "lost-write")
    assert f"{tree}/srt/model_executor/gate.py:2 (close) write page_size" in capsys.readouterr().out
