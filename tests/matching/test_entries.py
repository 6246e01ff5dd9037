"""Entries of a pack that match nothing, or are past their date."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ratchet.matching.entries import expired_entries, unmatched_entries
from ratchet.model import AnyMatch, Exemption, Field, Pack, Rule, Schema

PATHS = ("a/b.py", "c.py")
SCHEMA = Schema("test", {"port": Field("port", "int", None, None)})


def pack(*exempt: Exemption, boundary: Exemption | None = None, paths: tuple[str, ...] = ()) -> Pack:
    rule = Rule("r", "copy", AnyMatch(), "ratchet", "", "", "", "", paths, exempt, file="mine/r.toml")
    boundaries = (boundary,) if boundary else ()
    return Pack("mine", "1", "app", (), (), (), boundaries, (rule,), "", "")


GONE = "where no file is: correct or remove it"


@pytest.mark.parametrize(
    ("subject", "faults"),
    [
        (pack(), []),
        (pack(paths=("a",)), []),
        (pack(paths=("a", "z")), [f"mine/r.toml: `paths` names z, {GONE}"]),
        (pack(Exemption("x", paths=("a/*.py", "c.py"))), []),
        (pack(Exemption("x", paths=("c.py", "b"))), [f"mine/r.toml: an exemption names b, {GONE}"]),
        (pack(Exemption("x", scopes=("met",))), []),
        (
            pack(Exemption("x", scopes=("met",)), Exemption("x", paths=("a",), scopes=("never",))),
            ["mine/r.toml: the exemption of a, never keeps nothing from being counted: remove it"],
        ),
        (pack(Exemption("x", paths=("z",), engines=">=2")), []),
        (pack(Exemption("x", paths=("z",), engines="<2")), [f"mine/r.toml: an exemption names z, {GONE}"]),
        (pack(boundary=Exemption("x", paths=("a",), fields=("port",))), []),
        (pack(boundary=Exemption("x", paths=("z",))), [f"a boundary of the pack names z, {GONE}"]),
        (
            pack(boundary=Exemption("x", fields=("port", "gone"))),
            ["a boundary of the pack names the field gone, which the schema does not have"],
        ),
        (pack(boundary=Exemption("x", paths=("z",), engines=">=2")), []),
    ],
)
def test_unmatched(subject: Pack, faults: list[str]) -> None:
    used = frozenset({("r", 0)})
    assert list(unmatched_entries(subject, PATHS, used, SCHEMA, "1.0")) == faults


def test_a_rule_of_other_versions_is_left_out() -> None:
    subject = pack(paths=("z",))
    limited = replace(subject, rules=(replace(subject.rules[0], engines=">=2"),))
    assert unmatched_entries(limited, PATHS, frozenset(), SCHEMA, "1.0") == ()


@pytest.mark.parametrize(
    ("until", "faults"),
    [
        (None, []),
        ("2026-11-30", []),
        ("2026-12-01", []),
        (
            "2026-11-29",
            ["an exemption of r for a ended on 2026-11-29 (me, #1): remove it, or give it a new date"],
        ),
    ],
)
def test_expired(until: str | None, faults: list[str]) -> None:
    entry = Exemption("x", paths=("a",), owner="me", issue="#1", until=until)
    assert list(expired_entries(pack(entry), "2026-11-30")) == faults


def test_an_expired_boundary() -> None:
    entry = Exemption("x", fields=("port",), until="2026-01-01")
    assert expired_entries(pack(boundary=entry), "2026-11-30") == (
        "a boundary of the pack for port ended on 2026-01-01: remove it, or give it a new date",
    )
