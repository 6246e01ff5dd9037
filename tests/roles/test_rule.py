"""The rule about roles in a check: sites, parts of a tree, the cache, and what is never taken for clean."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ratchet.cli.run import run
from ratchet.frozen import replace
from ratchet.session import Options, only_one, open_sessions
from ratchet.tally import Tally
from tests.roles.engine import CONTEXT, DRAWER, TILL, plant

RULE = "role-undeclared-read"


def tally_of(root: Path, part: str | None = None, cache: Path | None = None, engine: str = "0.5.20") -> Tally:
    """What the rule counts in a tree, or in one file of it."""
    options = Options(
        root=root, packs=("sglang",), jobs=1, engine=engine, no_cache=cache is None, cache_dir=cache
    )
    with open_sessions(options, cwd=root) as sessions:
        session = only_one(sessions)
        session = replace(session, rules=tuple(rule for rule in session.pack.rules if rule.id == RULE))
        if part is None:
            return session.count(session.tree(session.work_tree()))
        return session.count(session.part(session.work_tree([part])), session.work_tree)


def sites(tally: Tally) -> list[tuple[str, int, str]]:
    """The sites of the rule: path, line, code."""
    return [(site.path, site.span.line, site.code) for site in tally.sites[RULE]]


def faults(tally: Tally) -> list[str]:
    """The faults about roles; the pack's exemptions name files that a small tree has not."""
    return [fault for fault in tally.faults if "where no file is" not in fault]


SITE = [("srt/managers/drawer.py", 9, "get_schedule().page_size")]


def test_a_contradicted_set_is_a_site(tmp_path: Path) -> None:
    tally = tally_of(plant(tmp_path, {}))
    assert sites(tally) == SITE
    assert faults(tally) == []


def test_a_set_that_holds_is_none(tmp_path: Path) -> None:
    context = CONTEXT.replace('{"exec"}', '{"exec", "schedule"}')
    assert sites(tally_of(plant(tmp_path, {"srt/runtime_context.py": context}))) == []


@pytest.mark.parametrize("cached", [True, False])
def test_a_part_is_judged_as_the_whole(tmp_path: Path, cached: bool) -> None:
    root, cache = plant(tmp_path, {}), tmp_path / "cache" if cached else None
    if cached:
        assert sites(tally_of(root, cache=cache)) == SITE
        assert sites(tally_of(root, cache=cache)) == SITE
    assert sites(tally_of(root, "srt/managers/drawer.py", cache)) == SITE
    assert sites(tally_of(root, "srt/managers/till.py", cache)) == []
    (root / "srt/managers/drawer.py").write_text(DRAWER.replace("page_size", "chunked_prefill_size"))
    found = sites(tally_of(root, "srt/managers/drawer.py", cache))
    assert found == [("srt/managers/drawer.py", 9, "get_schedule().chunked_prefill_size")]


FAULTS = {
    "no-table": {"srt/runtime_context.py": CONTEXT.replace("ROLE_NAMESPACE_SETS", "SETS")},
    "nothing-publishes-under-it": {"srt/managers/till.py": TILL.replace('"till"', '"till_two"')},
    "a-role-without-an-entry": {
        "srt/managers/till.py": TILL + '\ndef run_guest(server_args): publish(server_args, role="guest")\n'
    },
    "a-file-on-the-way-does-not-parse": {"srt/managers/till.py": TILL + "def (:\n"},
}


@pytest.mark.parametrize("files", FAULTS.values(), ids=FAULTS)
def test_what_cannot_be_judged_is_not_clean(tmp_path: Path, files: dict[str, str]) -> None:
    tally = tally_of(plant(tmp_path, files))
    assert faults(tally) != []


def test_a_tree_without_roles_has_none_to_judge(tmp_path: Path) -> None:
    files = {"srt/runtime_context.py": "def get_schedule(): ...\n", "srt/managers/till.py": ""}
    tally = tally_of(plant(tmp_path, files))
    assert sites(tally) == []
    assert faults(tally) == []


@pytest.mark.parametrize(
    ("context", "counted", "code"),
    [
        pytest.param(CONTEXT, [RULE], 0, id="left-out"),
        pytest.param(CONTEXT.replace('{"exec"}', '{"exec", "schedule"}'), [], 0, id="in-the-set"),
        pytest.param(CONTEXT.replace("ROLE_NAMESPACE_SETS", "SETS"), [], 3, id="not-judged"),
    ],
)
def test_a_line_is_explained(
    tmp_path: Path, context: str, counted: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    root = str(plant(tmp_path, {"srt/runtime_context.py": context}))
    where = ["--root", root, "--pack", "sglang", "--engine", "0.5.20", "--no-cache", "--baselines", root]
    assert run(["explain", "srt/managers/drawer.py:9", *where, "--format", "json"]) == code
    said = json.loads(capsys.readouterr().out)
    assert [each["counted_by"] for each in said["accesses"]] == [counted]
    assert [each["rule"] for each in said["sites"]] == counted
    assert len(said["faults"]) == (code == 3)
    assert run(["explain", "srt/managers/drawer.py:9", *where]) == code
    lines = capsys.readouterr().out.splitlines()
    assert f"  counted by: {', '.join(counted) or 'no rule of accesses'}" in lines
    assert any(line.startswith("fault: ") for line in lines) == (code == 3)


def test_an_engine_without_sets_is_left_out(tmp_path: Path) -> None:
    assert RULE in tally_of(plant(tmp_path, {}), engine="0.5.16").skipped


def test_its_gate_works_beside_those_of_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the files of one planted example say is not what another one is judged by."""
    where = ["--root", str(plant(tmp_path, {})), "--pack", "sglang", "--baselines", str(tmp_path / "lines")]
    rules = ["global-config-read", RULE]
    for rule in rules:
        run(["adopt", rule, "--no-cache", *where])
    capsys.readouterr()
    code = run(["prove", "--no-cache", *where, *rules])
    assert (code, capsys.readouterr().out.splitlines()[-1]) == (0, "prove: 2 gates work")
