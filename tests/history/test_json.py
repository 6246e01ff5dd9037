"""The JSON reports are valid against their schemas, and every key is documented."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.history.dated import HASTY, Dated

DOCS = Path(__file__).parents[2] / "docs"
DOCUMENTED = "".join((DOCS / name).read_text(encoding="utf-8") for name in ("history.md", "json.md"))


def schema(name: str) -> Any:
    text = (resources.files("ratchet") / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
    value = json.loads(text)
    Draft202012Validator.check_schema(value)
    return value


def keys(value: Any) -> set[str]:
    """The property names anywhere in a schema."""
    if isinstance(value, list):
        return {key for item in value for key in keys(item)}
    if not isinstance(value, dict):
        return set()
    own = set(value["properties"]) if isinstance(value.get("properties"), dict) else set()
    return own | {key for item in value.values() for key in keys(item)}


REPORTS = {
    "blame": ("blame", "settings-override"),
    "history": ("history",),
    "plan": ("plan",),
    "status": ("status",),
}


@pytest.mark.parametrize("name", REPORTS)
def test_reports_are_valid(project: Dated, name: str) -> None:
    project.edit("src/shop/cart.py", HASTY, "        pass\n")
    project.tighten()
    project.commit_on(3, "hasty is gone", "Bea")
    report = project.report(*REPORTS[name])
    Draft202012Validator(schema(name)).validate(report)
    assert report["verb"] == name


@pytest.mark.parametrize("name", REPORTS)
def test_every_key_is_documented(name: str) -> None:
    assert {key for key in keys(schema(name)) if f"`{key}`" not in DOCUMENTED} == set()
