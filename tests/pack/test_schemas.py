"""The published schemas accept what loads and refuse what does not."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ratchet.pack import shipped_packs

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCHEMAS = Path(__file__).parents[2] / "ratchet" / "schemas"
FILES = [path for folder in shipped_packs().values() for path in sorted(folder.glob("*.toml"))]

RULE: dict[str, Any] = {
    "title": "old calls",
    "kind": "call",
    "why": "They go.",
    "instead": "Call new.",
    "match": {"names": ["app.old"]},
    "example": [{"bad": "old()"}, {"good": "new()"}],
}
PACK: dict[str, Any] = {"format": 1, "name": "mine", "version": "1", "package": "app"}


def schema(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", ["rule", "pack"])
def test_the_schema_is_one(name: str) -> None:
    Draft202012Validator.check_schema(schema(name).schema)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_shipped_is_accepted(path: Path) -> None:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    errors = schema("pack" if path.stem == "pack" else "rule").iter_errors(data)
    assert [error.message for error in errors] == []


ACCEPTED = [
    ("rule", RULE),
    ("rule", {**RULE, "kind": "import", "match": {"versions": {">=2": ["a.b"]}}}),
    ("rule", {key: value for key, value in RULE.items() if key != "match"} | {"kind": "global"}),
    ("rule", {**RULE, "exempt": [{"reason": "x", "scopes": ["f"], "until": "2026-12-31"}]}),
    ("pack", PACK),
    ("pack", {**PACK, "boundary": [{"reason": "x", "paths": ["a"], "outside": True}]}),
]

REFUSED = [
    ("rule", {key: value for key, value in RULE.items() if key != "why"}),
    ("rule", {key: value for key, value in RULE.items() if key != "match"}),
    ("rule", {**RULE, "titel": "x"}),
    ("rule", {**RULE, "why": " "}),
    ("rule", {**RULE, "kind": "cal"}),
    ("rule", {**RULE, "mode": "strict"}),
    ("rule", {**RULE, "match": {"name": ["a"]}}),
    ("rule", {**RULE, "match": {}}),
    ("rule", {**RULE, "kind": "access"}),
    ("rule", {**RULE, "kind": "access", "match": {"operations": ["reed"]}}),
    ("rule", {**RULE, "kind": "text", "match": {"regex": ""}}),
    ("rule", {**RULE, "kind": "pattern", "match": {"patterns": []}}),
    ("rule", {**RULE, "example": [{"bad": "x"}]}),
    ("rule", {**RULE, "example": [{"good": "x"}]}),
    ("rule", {**RULE, "example": [*RULE["example"], {"good": "x", "fixed": "y"}]}),
    ("rule", {**RULE, "exempt": [{"reason": "x"}]}),
    ("rule", {**RULE, "exempt": [{"paths": ["x"]}]}),
    ("rule", {**RULE, "exempt": [{"reason": "x", "paths": ["x"], "until": "soon"}]}),
    ("pack", {**PACK, "format": 2}),
    ("pack", {**PACK, "object": [{"id": "x"}]}),
    ("pack", {**PACK, "object": [{"id": "x", "class": "a.B", "accessor": []}]}),
    ("pack", {**PACK, "engine": {"files": ["v.py"]}}),
    ("pack", {**PACK, "boundary": [{"paths": ["x"]}]}),
]


@pytest.mark.parametrize(("name", "data"), ACCEPTED)
def test_accepts(name: str, data: dict[str, Any]) -> None:
    assert schema(name).is_valid(data)


@pytest.mark.parametrize(("name", "data"), REFUSED)
def test_refuses(name: str, data: dict[str, Any]) -> None:
    assert not schema(name).is_valid(data)
