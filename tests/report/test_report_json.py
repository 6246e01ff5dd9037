"""The JSON format: documented, valid against its schema for any input, the same bytes each time."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator

from ratchet.model import Form, Kind, Mode, Operation, Origin, RuleVerdict, Via
from ratchet.report import render
from ratchet.report.json import accesses
from ratchet.report.values import VERSION
from tests.report.samples import (
    ACCESSES,
    BROKEN,
    CLEAN,
    HOSTILE,
    KNOWN_WRITE,
    READ,
    VERDICTS,
    WRITE,
    context,
    hostile,
    rule,
)


def schema(name: str) -> dict[str, Any]:
    text = (resources.files("ratchet") / "schemas" / name).read_text(encoding="utf-8")
    value: dict[str, Any] = json.loads(text)
    Draft202012Validator.check_schema(value)
    return value


def validate(text: str, name: str = "report.schema.json") -> Any:
    assert text.isascii()
    assert text.count("\n") == 1
    assert text.endswith("\n")
    value = json.loads(text)
    Draft202012Validator(schema(name)).validate(value)
    return value


@pytest.mark.parametrize("name", VERDICTS)
def test_valid_against_the_schema(name: str) -> None:
    validate(render("json", VERDICTS[name], context()))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_comes_back_as_it_was(text: str) -> None:
    value = validate(render("json", hostile(text), context()))
    site = value["rules"][0]["sites"][0]
    assert (site["path"], site["scope"], site["code"]) == (f"{text}.py", text, text)


def test_whole_report() -> None:
    value = validate(render("json", VERDICTS["partial"], context()))
    assert value == {
        "version": VERSION,
        "tool": {"name": "ratchet", "version": "0.1.0"},
        "verb": "check",
        "root": "python/engine",
        "engine": "0.5.17",
        "packs": ["sample 1"],
        "files": {
            "discovered": 2,
            "analysed": 2,
            "judged_by_bytes": 0,
            "not_judged": 0,
            "ignored": 1,
            "complete": False,
        },
        "problems": [],
        "faults": [],
        "notes": [],
        "rules": [
            {
                "id": "record-write",
                "kind": "access",
                "mode": "ratchet",
                "title": "The title of record-write",
                "skipped": None,
                "count": 1,
                "baseline": 1,
                "known": 1,
                "new": 0,
                "moved": 0,
                "gone": 0,
                "sites": [
                    {
                        "path": "srt/old.py",
                        "line": 7,
                        "column": 5,
                        "end_line": 7,
                        "end_column": 30,
                        "scope": "Engine.attach",
                        "code": "self.server_args.override(cache)",
                        "operation": "write",
                        "origin": "supplied",
                        "form": "self",
                        "field": "cache",
                        "namespace": "memory",
                        "state": "known",
                    }
                ],
                "moves": [],
                "gone_rows": [],
            }
        ],
        "exit_code": 0,
    }


def test_new_moved_and_gone() -> None:
    value = validate(render("json", VERDICTS["failing"], context()))
    reads = value["rules"][0]
    numbers = {key: reads[key] for key in ("count", "baseline", "known", "new", "moved", "gone")}
    assert numbers == {"count": 3, "baseline": 4, "known": 0, "new": 2, "moved": 1, "gone": 3}
    assert [site["state"] for site in reads["sites"]] == ["new", "moved", "new"]
    assert reads["moves"] == [
        {
            "from": {
                "path": "srt/home.py",
                "scope": "Engine.width",
                "code": "get_server_args().tp_size",
                "count": 1,
                "reason": "",
            },
            "to": {
                "path": "srt/new/home.py",
                "line": 2,
                "column": 1,
                "scope": "Engine.width",
                "code": "get_server_args().tp_size",
            },
        }
    ]
    assert [(row["path"], row["count"], row["reason"]) for row in reads["gone_rows"]] == [
        ("srt/gone.py", 2, "allowed once"),
        ("srt/gone.py", 1, ""),
    ]
    assert [site["state"] for site in value["rules"][3]["sites"]] == ["new", "known"]
    assert value["exit_code"] == 1


def test_a_count_has_no_states() -> None:
    value = validate(render("json", VERDICTS["count"], context(verb="count")))
    assert [site["state"] for site in value["rules"][0]["sites"]] == [None, None]
    assert {value["rules"][0][key] for key in ("baseline", "known", "new", "moved", "gone")} == {None}


def test_two_sites_at_one_place_keep_their_own_states() -> None:
    other = replace(WRITE, field="size", code="self.server_args.override(size)")
    entry = RuleVerdict(rule("r"), (WRITE, other), 1, (WRITE,), (other,))
    value = validate(render("json", replace(CLEAN, rules=(entry,)), context()))
    assert [site["state"] for site in value["rules"][0]["sites"]] == ["known", "new"]


def test_problems_and_faults() -> None:
    value = validate(render("json", VERDICTS["unjudged"], context()))
    assert value["files"]["not_judged"] == 2
    assert value["problems"] == [
        {"path": "srt/broken.py", "line": 3, "message": "invalid syntax"},
        {"path": "srt/locked.py", "line": 0, "message": "permission denied"},
    ]
    assert value["faults"] == ["baselines/record-write.tsv is missing: run `ratchet adopt record-write`"]
    assert value["exit_code"] == 3


def test_a_file_with_two_problems_is_one_file() -> None:
    census = replace(CLEAN.census, problems=(BROKEN, replace(BROKEN, line=9)))
    value = validate(render("json", replace(CLEAN, census=census), context()))
    assert value["files"]["not_judged"] == 1


def test_the_clock_changes_no_byte() -> None:
    outputs = {render("json", CLEAN, context(elapsed=elapsed)) for elapsed in (None, 0.1, 99.0)}
    assert len(outputs) == 1


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda value: value.pop("files"), id="no files"),
        pytest.param(lambda value: value["files"].update(analysed=-1), id="negative"),
        pytest.param(lambda value: value["rules"][0]["sites"][0].update(line=0), id="line 0"),
        pytest.param(lambda value: value["rules"][0]["sites"][0].update(state="old"), id="unknown state"),
        pytest.param(lambda value: value["rules"][0]["sites"][0].pop("namespace"), id="no namespace"),
        pytest.param(lambda value: value.update(exit_code=2), id="exit code of wrong arguments"),
        pytest.param(lambda value: value.update(version=2), id="other version"),
        pytest.param(lambda value: value.update(extra=1), id="unknown key"),
    ],
)
def test_the_schema_refuses(spoil: Any) -> None:
    value = json.loads(render("json", CLEAN, context()))
    spoil(value)
    assert not Draft202012Validator(schema("report.schema.json")).is_valid(value)


def test_accesses() -> None:
    value = validate(accesses("f.py", ACCESSES[2:], (BROKEN,), "0.1.0"), "accesses.schema.json")
    assert value == {
        "version": VERSION,
        "tool": {"name": "ratchet", "version": "0.1.0"},
        "verb": "accesses",
        "path": "f.py",
        "accesses": [
            {
                "line": 11,
                "column": 1,
                "end_line": 11,
                "end_column": 9,
                "operation": "read",
                "origin": "namespace",
                "form": "accessor",
                "root": "accessor",
                "via": "attribute",
                "field": "tp",
                "namespace": "exec.moe",
                "scope": "",
                "code": "get_exec().moe.tp",
            }
        ],
        "problems": [{"path": "srt/broken.py", "line": 3, "message": "invalid syntax"}],
    }


def test_all_accesses_are_valid() -> None:
    value = validate(accesses("caf\udce9.py", ACCESSES, ()), "accesses.schema.json")
    assert [access["field"] for access in value["accesses"]] == ["seed", None, "tp"]


def test_known_sites_stay_known_beside_new_ones_in_their_file() -> None:
    beside = replace(KNOWN_WRITE, path=READ.path)
    entry = RuleVerdict(rule("r"), (beside, READ), 1, (beside,), (READ,))
    value = validate(render("json", replace(CLEAN, rules=(entry,)), context()))
    assert [site["state"] for site in value["rules"][0]["sites"]] == ["known", "new"]


def keys(value: object) -> set[str]:
    """The property names anywhere in a schema."""
    if isinstance(value, list):
        return set().union(*map(keys, value))
    if not isinstance(value, dict):
        return set()
    return set(value.get("properties", ())) | set().union(*map(keys, value.values()))


@pytest.mark.parametrize("name", ["report.schema.json", "accesses.schema.json"])
def test_every_key_is_documented(name: str) -> None:
    documented = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
    assert {key for key in keys(schema(name)) if f"`{key}`" not in documented} == set()


@pytest.mark.parametrize(
    ("definition", "key", "type_"),
    [
        ("site", "operation", Operation),
        ("site", "origin", Origin),
        ("site", "form", Form),
        ("rule", "kind", Kind),
        ("rule", "mode", Mode),
    ],
)
def test_the_schema_has_the_words_of_the_model(definition: str, key: str, type_: object) -> None:
    words = schema("report.schema.json")["$defs"][definition]["properties"][key]["enum"]
    assert [word for word in words if word is not None] == list(get_args(type_))


@pytest.mark.parametrize(
    ("key", "type_"),
    [("operation", Operation), ("origin", Origin), ("form", Form), ("root", Form), ("via", Via)],
)
def test_the_schema_of_accesses_has_the_words_of_the_model(key: str, type_: object) -> None:
    words = schema("accesses.schema.json")["$defs"]["access"]["properties"][key]["enum"]
    assert words == list(get_args(type_))
