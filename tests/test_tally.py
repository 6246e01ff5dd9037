"""A stored result serves only for the tree, the rules and the boundaries that it was made of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ratchet.model import Exemption, Pack, Rule
from ratchet.session import Options, only_one, open_sessions

EXAMPLE = Path(__file__).parents[1] / "examples" / "engine"
ABSENT = Exemption("nothing is there", paths=("srt/absent.py",))


def with_boundary(pack: Pack) -> Pack:
    """The pack with a boundary that matches nothing."""
    return replace(pack, boundaries=(*pack.boundaries, ABSENT))


def with_exemption(pack: Pack) -> Pack:
    """The pack with an exemption of its first rule that matches nothing."""
    first, *others = pack.rules
    return replace(pack, rules=(replace(first, exempt=(ABSENT,), fingerprint="changed"), *others))


@pytest.mark.parametrize("change", [with_boundary, with_exemption], ids=lambda change: change.__name__)
def test_what_matches_nothing_is_a_fault_with_and_without_cache(change: object, tmp_path: Path) -> None:
    assert callable(change)
    faults = []
    for options in (Options(cache_dir=tmp_path, jobs=1), Options(no_cache=True, jobs=1)):
        with open_sessions(options, cwd=EXAMPLE) as sessions:
            session = only_one(sessions)
            for pack in (session.pack, change(session.pack)):
                rules: tuple[Rule, ...] = pack.rules
                changed = replace(session, pack=pack, rules=rules)
                faults.append(changed.count(changed.tree(changed.work_tree())).faults)
    assert faults[:2] == faults[2:]
    assert len(faults[1]) == len(faults[0]) + 1


def test_the_same_is_counted_once(tmp_path: Path) -> None:
    with open_sessions(Options(cache_dir=tmp_path, jobs=1), cwd=EXAMPLE) as sessions:
        session = only_one(sessions)
        first, again = (session.count(session.tree(session.work_tree())) for _ in range(2))
    assert first == again
