"""The command as a whole: what it prints, writes and takes back; its JSON against the schema."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ratchet.cli.run import run
from ratchet.codemod.apply import apply_changes
from ratchet.report.values import head

RANGE = ["upgrade", "--from", "0.5.20", "--to", "0.5.21"]
TEXT = (
    "import os\n\nfrom sglang.srt.distributed import get_pp_group\n"
    "from sglang.srt.server_args import PortArgs\n"
)
MOVED = (
    "plugin.py:3:36: sglang.srt.distributed.get_pp_group: moved in 0.5.21; it is"
    " sglang.srt.distributed.parallel_state.get_pp_group"
)
RETIRED = (
    "from sglang.srt.layers.dp_attention import get_attention_dp_rank\n"
    "from sglang.srt.server_args import get_global_server_args\n\n\n"
    "def f():\n    return get_attention_dp_rank(), get_global_server_args().page_size\n"
)
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with one file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    place = tmp_path / "plugin.py"
    place.write_text(TEXT)
    return place


def schema() -> Any:
    text = (resources.files("ratchet") / "schemas" / "upgrade.schema.json").read_text(encoding="utf-8")
    value = json.loads(text)
    Draft202012Validator.check_schema(value)
    return value


def report(capsys: Captured, *arguments: str) -> Any:
    """What a run prints as JSON, checked against the schema."""
    run([*arguments, "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    Draft202012Validator(schema()).validate(found)
    return found


def test_it_is_written_and_taken_back(plugin: Path, capsys: Captured) -> None:
    assert run([*RANGE, "plugin.py"]) == 1
    assert capsys.readouterr().out == (
        f"{MOVED} [can be rewritten]\n0.5.20 to 0.5.21: 1 moved, in 1 of 1 file\n"
    )
    assert run([*RANGE, "--write", "--diff", "plugin.py"]) == 0
    assert capsys.readouterr().out == (
        "--- a/plugin.py\n+++ b/plugin.py\n@@ -1,4 +1,4 @@\n import os\n \n"
        "-from sglang.srt.distributed import get_pp_group\n"
        "+from sglang.srt.distributed.parallel_state import get_pp_group\n"
        " from sglang.srt.server_args import PortArgs\n"
        "rewritten: 1 file\n0.5.20 to 0.5.21: nothing to do, in 1 of 1 file\n"
    )
    assert run(["upgrade", "--undo"]) == 0
    assert capsys.readouterr().out == "  plugin.py\n1 file put back\n"
    assert plugin.read_text() == TEXT
    assert run(["upgrade", "--undo"]) == 2
    assert "there is no upgrade to undo; run `ratchet upgrade --write` first" in capsys.readouterr().err


def test_expressions_are_written(plugin: Path, capsys: Captured) -> None:
    plugin.write_text(RETIRED)
    assert run(["upgrade", "--from", "0.5.17", "--to", "0.5.21", "--write", "plugin.py"]) == 0
    assert plugin.read_text() == (
        "from sglang.srt.runtime_context import get_parallel, get_schedule\n\n\n"
        "def f():\n    return get_parallel().attn_dp_rank, get_schedule().page_size\n"
    )


def test_names_that_other_files_import_stay(plugin: Path, capsys: Captured) -> None:
    plugin.write_text(RETIRED)
    Path("other.py").write_text("from plugin import get_attention_dp_rank\n")
    run(["upgrade", "--from", "0.5.17", "--to", "0.5.21", "--write"])
    assert plugin.read_text().startswith(
        "from sglang.srt.layers.dp_attention import get_attention_dp_rank\n"
        "from sglang.srt.runtime_context import get_parallel, get_schedule\n"
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param([*RANGE, "broken.py"], 3, id="unparsable"),
        pytest.param([*RANGE, "nothing.py"], 2, id="no-file"),
        pytest.param(["upgrade", "--from", "0.5.21", "--to", "0.5.20"], 2, id="older"),
        pytest.param(["upgrade", "plugin.py"], 2, id="no-engines"),
        pytest.param(["upgrade", "--resume"], 2, id="nothing-to-resume"),
    ],
)
def test_exit_codes(plugin: Path, arguments: list[str], code: int) -> None:
    Path("broken.py").write_text("from sglang.srt.server_args import (\n")
    assert run(arguments) == code


@pytest.mark.parametrize("verb", ["--resume", "--undo"])
def test_an_interrupted_write(
    plugin: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured, verb: str
) -> None:
    """It says how to go on, judges nothing meanwhile, and goes on without the engines' names."""

    def stopped(changes: Any, folder: Path, **given: Any) -> None:
        def step(name: str) -> None:
            if name == "replace 1":
                raise KeyboardInterrupt

        apply_changes(changes, folder, step, **given)

    Path("second.py").write_text(TEXT)
    with monkeypatch.context() as patched:
        patched.setattr("ratchet.upgrade.write.apply_changes", stopped)
        assert run([*RANGE, "--write"]) == 130
    sentence = (
        "an earlier upgrade was interrupted; run `ratchet upgrade --resume` to finish it,"
        " or `ratchet upgrade --undo` to take it back"
    )
    assert sentence in capsys.readouterr().err
    assert Path("second.py").read_text() == TEXT != plugin.read_text()
    assert run(RANGE) == 2
    assert sentence in capsys.readouterr().err
    found = report(capsys, "upgrade", verb)
    assert (found["verb"], found["refused"]) == (verb[2:], [])
    assert (plugin.read_text() == TEXT, Path("second.py").read_text() == TEXT) == ((verb == "--undo",) * 2)
    assert run(RANGE) == int(verb == "--undo")


def test_the_json(plugin: Path, capsys: Captured) -> None:
    found = report(capsys, *RANGE)
    assert found == {
        **head("upgrade"),
        "from": "0.5.20",
        "to": "0.5.21",
        "findings": [
            {
                "path": "plugin.py",
                "line": 3,
                "column": 36,
                "end_line": 3,
                "end_column": 48,
                "kind": "import",
                "what": "sglang.srt.distributed.get_pp_group",
                "change": "moved",
                "since": "0.5.21",
                "instead": "sglang.srt.distributed.parallel_state.get_pp_group",
                "advice": "it is sglang.srt.distributed.parallel_state.get_pp_group",
                "guarded": False,
                "rewritable": True,
                "kept": "",
            }
        ],
        "rewritten": [],
        "discovered": 1,
        "analysed": 1,
        "problems": [],
        "exit_code": 1,
    }
    plugin.write_text(RETIRED + "print(get_attention_dp_rank)\nfrom sglang.srt.lost import x\n")
    Path("broken.py").write_text("import sglang.srt\n(")
    found = report(capsys, "upgrade", "--from", "0.5.17", "--to", "0.5.21", "--write")
    assert (found["rewritten"], found["exit_code"], len(found["problems"])) == (["plugin.py"], 3, 1)
    assert {finding["kept"] for finding in found["findings"]} == {
        "",
        "it is still used, or others may import it from here",
    }
    assert report(capsys, "upgrade", "--undo")["files"] == ["plugin.py"]


def test_every_key_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
    report_schema, restored = schema()["oneOf"]
    finding = report_schema["properties"]["findings"]["items"]
    keys = {key for part in (report_schema, restored, finding) for key in part["properties"]}
    assert {key for key in keys if f"`{key}`" not in text} == set()


def test_what_the_configuration_excludes(plugin: Path, capsys: Captured) -> None:
    for name in ("build", "kept"):
        Path(name).mkdir()
        Path(name, "copy.py").write_text(TEXT)
    Path("ratchet.toml").write_text(
        'exclude = [{ path = "build", reason = "made" }, { path = "plugin*.py", reason = "old" }]\n'
    )
    found = report(capsys, *RANGE, "build", ".", "plugin.py")
    assert [finding["path"] for finding in found["findings"]] == ["kept/copy.py"]
    Path("ratchet.toml").write_text("exclude = 3\n")
    assert run(RANGE) == 2
