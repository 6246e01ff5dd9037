"""Packs are read whole, or refused with every fault that they have."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ratchet.errors import JudgeError, UsageError
from ratchet.model import AccessMatch, AnyMatch, Exemption, NameMatch, Pack, PatternMatch, TextMatch
from ratchet.pack import load as load_module
from ratchet.pack import load_packs, shipped_packs
from ratchet.session import set_up
from ratchet.workspace import Options

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PACK = """
format = 1
name = "mine"
version = "1"
package = "app"

[[object]]
id = "record"
class = "app.config.Record"
"""

RULE = """
title = "old calls"
kind = "call"
why = "They go."
instead = "Call new."

[match]
names = ["app.old"]

[[example]]
bad = "import app; app.old()"
good = "import app; app.new()"
"""


def write(folder: Path, rules: dict[str, str], pack: str = PACK) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pack.toml").write_text(pack, encoding="utf-8")
    for name, text in rules.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return folder


def load(tmp_path: Path, rule: str = RULE, pack: str = PACK) -> Pack:
    write(tmp_path / "mine", {"old-call": rule}, pack)
    return load_packs(["./mine"], tmp_path)


def faults(tmp_path: Path, rule: str = RULE, pack: str = PACK) -> list[str]:
    with pytest.raises(JudgeError) as caught:
        load(tmp_path, rule, pack)
    lines = str(caught.value).splitlines()
    return [line.strip() for line in lines[1:]] or [
        lines[0].removesuffix(" (`ratchet pack lint` checks it again)")
    ]


def test_the_shipped_pack_loads_by_name_and_by_default(tmp_path: Path) -> None:
    assert list(shipped_packs()) == ["sglang"]
    by_name, by_default = load_packs(["sglang"], tmp_path), load_packs([], tmp_path)
    assert by_name == by_default
    assert (by_name.name, by_name.package) == ("sglang", "sglang")
    assert by_name.schema is not None
    assert by_name.engine is not None
    assert [rule.id for rule in by_name.rules] == sorted(rule.id for rule in by_name.rules)


def test_a_rule_as_it_was_written(tmp_path: Path) -> None:
    extra = """
mode = "ban"
paths = ["a", "b/*.py"]
engines = ">=1.2"
formerly = ["older-call"]
codemod = "migrate"
"""
    exempt = """
[[exempt]]
reason = "it stays"
paths = ["c"]
scopes = ["f"]
fields = ["x"]
owner = "me"
issue = "#1"
until = 2026-12-31
engines = "<3"
"""
    rule = load(tmp_path, extra + RULE + exempt).rules[0]
    assert (rule.id, rule.kind, rule.mode, rule.title) == ("old-call", "call", "ban", "old calls")
    assert (rule.paths, rule.engines, rule.formerly, rule.codemod) == (
        ("a", "b/*.py"),
        ">=1.2",
        ("older-call",),
        "migrate",
    )
    assert rule.exempt == (Exemption("it stays", ("c",), ("f",), ("x",), "me", "#1", "2026-12-31", "<3"),)
    assert rule.match == NameMatch(("app.old",))
    assert rule.file == "mine/old-call.toml"


@pytest.mark.parametrize(
    ("kind", "match", "expected"),
    [
        (
            "access",
            'operations = ["read"]\norigins = ["global"]\nfields = ["a"]\nnot-fields = ["b"]\nmembers = true',
            AccessMatch(
                operations=("read",), origins=("global",), fields=("a",), not_fields=("b",), members=True
            ),
        ),
        (
            "access",
            'unit = "path-field"\nobjects = ["record"]',
            AccessMatch(objects=("record",), unit="path-field"),
        ),
        ("copy", 'objects = ["record"]', AnyMatch(("record",))),
        ("global", "", AnyMatch()),
        ("import", 'names = ["a.b"]\nrenamed = true', NameMatch(("a.b",), renamed=True)),
        ("call", '[match.versions]\n">=2" = ["a.b"]', NameMatch((), versioned=((">=2", ("a.b",)),))),
        ("pattern", 'patterns = ["f($X)"]\nwhere = { X = "1" }', PatternMatch(("f($X)",), (("X", "1"),))),
        ("text", "regex = 'a\\('\nunit = \"line\"", TextMatch(r"a\(", "line")),
    ],
    ids=["access", "pairs", "copy", "global", "import", "versions", "pattern", "text"],
)
def test_kinds(tmp_path: Path, kind: str, match: str, expected: object) -> None:
    rule = RULE.replace('"call"', f'"{kind}"').replace('names = ["app.old"]', match)
    assert load(tmp_path, rule).rules[0].match == expected


HERE = Path(__file__).parent
FAULTS = tomllib.loads((HERE / "faults.toml").read_text(encoding="utf-8"))


def changed(text: str, case: dict[str, Any]) -> str:
    """A sound text with a case's change in it."""
    for old, new in case.get("replace", ()):
        assert old in text
        text = text.replace(old, new)
    return f"{case.get('before', '')}{text}{case.get('after', '')}"


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in FAULTS["rule"]])
def test_faults_of_a_rule(tmp_path: Path, case: dict[str, Any]) -> None:
    assert case["fault"] in faults(tmp_path, changed(RULE, case))


@pytest.mark.parametrize("case", [pytest.param(case, id=case["fault"][20:60]) for case in FAULTS["match"]])
def test_faults_of_a_match(tmp_path: Path, case: dict[str, Any]) -> None:
    rule = RULE.replace('"call"', f'"{case["kind"]}"').replace('names = ["app.old"]', case["match"])
    assert faults(tmp_path, rule) == [case["fault"]]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in FAULTS["pack"]])
def test_faults_of_a_pack(tmp_path: Path, case: dict[str, Any]) -> None:
    assert faults(tmp_path, pack=changed(PACK, case)) == [case["fault"]]


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    write(tmp_path / "mine", {"a": RULE.replace("why", "wy"), "b": "[", "c": RULE.replace("call", "cll")})
    with pytest.raises(JudgeError) as caught:
        load_packs(["mine"], tmp_path)
    lines = str(caught.value).splitlines()
    assert lines[0] == "the pack has 4 faults, `ratchet pack lint` checks them again:"
    assert [line.strip().split(":")[0] for line in lines[1:]] == [
        "mine/b.toml",
        "mine/a.toml",
        "mine/a.toml",
        "mine/c.toml",
    ]


def test_a_rule_that_is_not_utf_8_is_named_with_its_line(tmp_path: Path) -> None:
    (write(tmp_path / "mine", {}) / "old.toml").write_bytes(b"title = 'a'\nwhy = '\xe9'\n")
    with pytest.raises(JudgeError, match=r"^mine/old\.toml:2: is not UTF-8; save it in that encoding"):
        load_packs(["mine"], tmp_path)


@pytest.mark.parametrize(
    ("arg", "message"),
    [
        ("sgland", "no pack is called sgland; did you mean `sglang`?: shipped are sglang, others are paths"),
        ("./nowhere", "./nowhere holds no pack.toml: name the folder of a pack, or run `ratchet init`"),
        ("empty", "empty holds no pack.toml: name the folder of a pack, or run `ratchet init`"),
    ],
)
def test_a_pack_that_is_not_there_is_a_wrong_argument(tmp_path: Path, arg: str, message: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError) as caught:
        load_packs([arg], tmp_path)
    assert str(caught.value) == message


def test_packs_merge(tmp_path: Path) -> None:
    write(tmp_path / "a", {"one": RULE})
    second = 'format = 1\nname = "more"\nversion = "2"\n[[boundary]]\nreason = "x"\npaths = ["x"]\n'
    write(tmp_path / "b", {"two": RULE}, second)
    merged = load_packs(["a", "b"], tmp_path)
    assert (merged.name, merged.version, merged.package) == ("mine+more", "1+2", "app")
    assert [rule.id for rule in merged.rules] == ["one", "two"]
    assert len(merged.boundaries) == 1


@pytest.mark.parametrize(
    ("rule", "pack", "fault"),
    [
        (
            "old-call",
            PACK.replace("record", "r"),
            "the rule old-call is in a/old-call.toml and in b/old-call.toml: rename one of them",
        ),
        ("new", PACK, "the object record is in mine and in mine: rename one of them"),
        (
            "new",
            PACK.replace("record", "r").replace('"app"', '"other"'),
            "`package` must be one top package for all packs, and the packs name several: app, other",
        ),
    ],
    ids=["rule", "object", "package"],
)
def test_packs_that_do_not_go_together(tmp_path: Path, rule: str, pack: str, fault: str) -> None:
    write(tmp_path / "a", {"old-call": RULE})
    write(tmp_path / "b", {rule: RULE}, pack)
    with pytest.raises(JudgeError) as caught:
        load_packs(["a", "b"], tmp_path)
    assert str(caught.value) == f"{fault} (`ratchet pack lint` checks it again)"


FINGERPRINTS = [
    ("wording", RULE.replace("They go.", "They must go."), True),
    ("examples", RULE.replace("app.new()", "app.newer()"), True),
    ("mode", 'mode = "ban"\n' + RULE, True),
    ("a comment", "# why\n" + RULE, True),
    ("a default that is written out", RULE.replace("names =", "renamed = false\nnames ="), True),
    ("names", RULE.replace('"app.old"', '"app.old", "app.older"'), False),
    ("kind", RULE.replace('"call"', '"import"'), False),
    ("paths", 'paths = ["a"]\n' + RULE, False),
    ("engines", 'engines = ">1"\n' + RULE, False),
    ("an exemption", RULE + '[[exempt]]\nreason = "x"\npaths = ["b"]', False),
]


@pytest.mark.parametrize(
    ("rule", "same"), [case[1:] for case in FINGERPRINTS], ids=[c[0] for c in FINGERPRINTS]
)
def test_fingerprint_covers_what_matches(tmp_path: Path, rule: str, same: bool) -> None:
    before = load(tmp_path).rules[0].fingerprint
    assert (load(tmp_path, rule).rules[0].fingerprint == before) is same


def test_fingerprint_covers_the_analysis(tmp_path: Path) -> None:
    first = load(tmp_path)
    second = load_packs(["./mine"], tmp_path, analysis="2")
    assert first.rules[0].fingerprint != second.rules[0].fingerprint
    assert first.fingerprint != second.fingerprint


def test_fingerprint_of_a_pack_leaves_its_rules_out(tmp_path: Path) -> None:
    first = load(tmp_path)
    assert load(tmp_path, RULE.replace("app.old", "app.older")).fingerprint == first.fingerprint
    assert load(tmp_path, pack=PACK.replace("Record", "Options")).fingerprint != first.fingerprint


class Store:
    """A memo that can be looked into."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.made = 0

    def __call__(self, key: str, make: Callable[[], str]) -> str:
        if key not in self.texts:
            self.texts[key] = make()
            self.made += 1
        return self.texts[key]


def test_a_memo_changes_nothing_but_the_time(tmp_path: Path) -> None:
    store = Store()
    plain = load(tmp_path, RULE + '[[exempt]]\nreason = "x"\npaths = ["b"]\nuntil = 2026-12-31')
    for _ in range(2):
        assert load_packs(["./mine"], tmp_path, memo=store) == plain
    assert store.made == 1
    shipped = load_packs(["sglang"], tmp_path)
    for _ in range(2):
        assert load_packs(["sglang"], tmp_path, memo=store) == shipped


def counted(monkeypatch: pytest.MonkeyPatch, name: str) -> list[str]:
    """Note each call of a function of the loader from now on."""
    calls: list[str] = []
    done: Callable[..., object] = getattr(load_module, name)

    def noted(*args: object, **options: object) -> object:
        calls.append(name)
        return done(*args, **options)

    monkeypatch.setattr(load_module, name, noted)
    return calls


def test_without_a_cache_a_run_reads_a_pack_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ratchet.session.load_packs", load_packs)  # and not what other tests have read
    parsed = counted(monkeypatch, "_parse")
    with set_up(Options(packs=("sglang",), no_cache=True), cwd=tmp_path) as setup:
        (tree,) = setup.trees
        assert setup.pack(tree) == setup.pack(tree)
    assert parsed == ["_parse"]


def test_what_is_read_for_a_memo_is_not_read_again_out_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assembled = counted(monkeypatch, "_assemble")
    load_packs(["sglang"], tmp_path, memo=Store())
    assert assembled == ["_assemble"]


def test_a_changed_byte_is_read_again(tmp_path: Path) -> None:
    store = Store()
    load(tmp_path)
    load_packs(["./mine"], tmp_path, memo=store)
    write(tmp_path / "mine", {"old-call": RULE.replace("app.old", "app.odd")})
    assert load_packs(["./mine"], tmp_path, memo=store).rules[0].match == NameMatch(("app.odd",))
    assert store.made == 2


@pytest.mark.parametrize("damage", ["", "nonsense", "[]", "{}", "[{}]", '[{"pack": 1}]', "null"])
def test_a_damaged_memo_is_read_past(tmp_path: Path, damage: str) -> None:
    plain = load(tmp_path)
    assert load_packs(["./mine"], tmp_path, memo=lambda _key, _make: damage) == plain


def test_a_memo_keeps_versions_of_the_analysis_apart(tmp_path: Path) -> None:
    keys: list[str] = []

    def memo(key: str, make: Callable[[], str]) -> str:
        keys.append(key)
        return make()

    load(tmp_path)
    for analysis in ("1", "2"):
        load_packs(["./mine"], tmp_path, analysis=analysis, memo=memo)
    assert len(set(keys)) == 2


def test_faults_are_not_kept_in_a_memo(tmp_path: Path) -> None:
    store = Store()
    write(tmp_path / "mine", {"old-call": RULE.replace("why", "wy")})
    with pytest.raises(JudgeError, match="unknown key `wy`"):
        load_packs(["./mine"], tmp_path, memo=store)
    assert store.texts == {}
