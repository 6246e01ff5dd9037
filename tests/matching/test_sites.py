"""From accesses and matches to the sites that rules count."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ratchet.matching.sites import SiteMatcher
from ratchet.model import (
    Access,
    AccessMatch,
    AnyMatch,
    Exemption,
    Field,
    Match,
    Rule,
    RuleMatch,
    Schema,
    Site,
    Span,
    TextMatch,
)

SCHEMA = Schema(
    "test", {"port": Field("port", "int", "1", "serving"), "size": Field("size", "int", None, None)}
)


def access(line: int = 1, code: str = "record.port", **changes: Any) -> Access:
    made = Access(
        span=Span(line, 5, line, 20),
        operation="read",
        origin="global",
        form="alias",
        root="accessor",
        via="attribute",
        object="record",
        field="port",
        namespace="serving",
        scope="f",
        code=code,
    )
    return replace(made, **changes)


def rule(match: RuleMatch, kind: Any = "access", rule_id: str = "r", **changes: Any) -> Rule:
    return replace(Rule(rule_id, kind, match, "ratchet", "", "", "", ""), **changes)


def sites(by: Rule, *accesses: Access, path: str = "a/b.py", engine: str | None = None) -> list[Site]:
    return list(SiteMatcher([by], SCHEMA, engine).sites(path, accesses).sites)


FILTERS = [
    (AccessMatch(), {}, True),
    (AccessMatch(operations=("read", "call")), {}, True),
    (AccessMatch(operations=("write",)), {}, False),
    (AccessMatch(origins=("global",)), {}, True),
    (AccessMatch(origins=("supplied", "mixed")), {}, False),
    (AccessMatch(forms=("alias",)), {}, True),
    (AccessMatch(forms=("accessor",)), {}, False),
    (AccessMatch(roots=("accessor",)), {}, True),
    (AccessMatch(roots=("alias",)), {}, False),
    (AccessMatch(vias=("attribute",)), {}, True),
    (AccessMatch(vias=("builtin",)), {}, False),
    (AccessMatch(objects=("record",)), {}, True),
    (AccessMatch(objects=("other",)), {}, False),
    (AccessMatch(fields=("port",)), {}, True),
    (AccessMatch(fields=("po*",)), {}, True),
    (AccessMatch(fields=("size",)), {}, False),
    (AccessMatch(fields=("port",)), {"field": None, "operation": "escape"}, False),
    (AccessMatch(fields=("*",)), {"field": "*"}, True),
    (AccessMatch(fields=("*",)), {}, False),
    (AccessMatch(not_fields=("size",)), {}, True),
    (AccessMatch(not_fields=("po*",)), {}, False),
    (AccessMatch(not_fields=("*",)), {}, True),
    (AccessMatch(not_fields=("*",)), {"field": "*"}, False),
    (AccessMatch(not_fields=("port",)), {"field": None, "operation": "escape"}, True),
    (AccessMatch(namespaces=("serving",)), {}, True),
    (AccessMatch(namespaces=("serving",)), {"namespace": "serving.http"}, True),
    (AccessMatch(namespaces=("serve",)), {}, False),
    (AccessMatch(namespaces=("serving",)), {"namespace": None}, False),
    (AccessMatch(members=False), {}, True),
    (AccessMatch(members=True), {}, False),
    (AccessMatch(members=True), {"field": "use_it"}, True),
    (AccessMatch(members=False), {"field": "use_it"}, False),
    (AccessMatch(members=False), {"field": "*"}, True),
    (AccessMatch(members=True), {"field": "*"}, True),
    (AccessMatch(members=False), {"field": None, "operation": "escape"}, False),
    (AccessMatch(operations=("read",), origins=("supplied",)), {}, False),
]


@pytest.mark.parametrize(("match", "changes", "counted"), FILTERS)
def test_filters(match: AccessMatch, changes: dict[str, Any], counted: bool) -> None:
    assert len(sites(rule(match), access(**changes))) == counted


def test_a_site_as_it_is() -> None:
    assert sites(rule(AccessMatch()), access(3)) == [
        Site(
            "r", "a/b.py", Span(3, 5, 3, 20), "f", "record.port", "read", "global", "alias", "port", "serving"
        )
    ]


@pytest.mark.parametrize(
    ("field", "code", "expected"),
    [
        ("port", "record.port", "record.port"),
        ("port", "getattr(record, 'port')", "getattr(record, 'port')"),
        ("port", "record.override(host, port)", "record.override(host, port)"),
        ("port", "getattr(record, NAME)", "getattr(record, NAME) [port]"),
        ("port", "record.ports", "record.ports [port]"),
        ("port", "vars(record).update(**{'p' 'ort': 1})", "vars(record).update(**{'p' 'ort': 1}) [port]"),
        ("*", "getattr(record, name)", "getattr(record, name)"),
        (None, "start(record)", "start(record)"),
    ],
)
def test_identity_includes_the_field(field: str | None, code: str, expected: str) -> None:
    assert [site.code for site in sites(rule(AccessMatch()), access(code=code, field=field))] == [expected]


def test_pairs_of_path_and_field_count_once_at_their_first_read() -> None:
    by = rule(AccessMatch(unit="path-field"))
    found = sites(by, access(9), access(2, scope="g"), access(5, field="size", code="x.size"), access(3))
    assert [(site.span.line, site.scope, site.code) for site in found] == [(2, "", "port"), (5, "", "size")]


@pytest.mark.parametrize(
    ("changes", "counted"),
    [
        ({"paths": ("a",)}, True),
        ({"paths": ("a/*.py",)}, True),
        ({"paths": ("b",)}, False),
        ({"exempt": (Exemption("x", paths=("b",)),)}, True),
        ({"exempt": (Exemption("x", paths=("a",)),)}, False),
        ({"exempt": (Exemption("x", scopes=("f",)),)}, False),
        ({"exempt": (Exemption("x", scopes=("g",)),)}, True),
        ({"exempt": (Exemption("x", fields=("port",)),)}, False),
        ({"exempt": (Exemption("x", fields=("size",)),)}, True),
        ({"exempt": (Exemption("x", paths=("a",), scopes=("g",)),)}, True),
        ({"exempt": (Exemption("x", paths=("b",), scopes=("f",)),)}, True),
        ({"exempt": (Exemption("x", paths=("a",), scopes=("f",), fields=("port",)),)}, False),
        ({"exempt": (Exemption("x", paths=("a",), engines=">=2"),)}, True),
        ({"exempt": (Exemption("x", paths=("a",), engines="<2"),)}, False),
        ({"engines": ">=2"}, False),
        ({"engines": "<2"}, True),
    ],
)
def test_where_a_rule_looks(changes: dict[str, Any], counted: bool) -> None:
    assert len(sites(rule(AccessMatch(), **changes), access(), engine="1.0")) == counted


def test_exemptions_that_were_met_are_told() -> None:
    exempt = (Exemption("x", scopes=("g",)), Exemption("y", fields=("port",)), Exemption("z", paths=("a",)))
    by = rule(AccessMatch(), exempt=exempt[:2])
    assert SiteMatcher([by], None, None).sites("a/b.py", [access()]).used == {("r", 1)}
    assert SiteMatcher([by], None, None).sites("a/b.py", [access(field="size")]).used == frozenset()


def match(rule_id: str, line: int = 1) -> Match:
    return Match(rule_id, Span(line, 1, line, 9), "f", "code")


@pytest.mark.parametrize(
    ("objects", "counted"), [((), True), (("record",), True), (("record", "b"), True), (("other",), False)]
)
def test_copies(objects: tuple[str, ...], counted: bool) -> None:
    matcher = SiteMatcher([rule(AnyMatch(objects), "copy")], None, None)
    assert len(matcher.sites("a.py", (), [match("copy:record")]).sites) == counted


def test_matches_count_for_their_own_rule_where_it_looks() -> None:
    rules = [rule(TextMatch("x"), "text", "here"), rule(TextMatch("x"), "text", "there", paths=("b",))]
    matches = [match("here"), match("there"), match("unknown")]
    found = SiteMatcher(rules, None, None).sites("a.py", (), (), matches).sites
    assert [(site.rule, site.scope, site.code) for site in found] == [("here", "f", "code")]


def test_order_is_by_position() -> None:
    rules = [rule(AccessMatch()), rule(TextMatch("x"), "text", "t"), rule(AnyMatch(), "copy", "c")]
    found = SiteMatcher(rules, None, None).sites(
        "a.py", [access(4), access(2)], [match("copy:record", 3)], [match("t", 1)]
    )
    assert [(site.span.line, site.rule) for site in found.sites] == [(1, "t"), (2, "r"), (3, "c"), (4, "r")]
