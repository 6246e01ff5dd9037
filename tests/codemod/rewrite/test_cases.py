"""Pairs of texts: a file before and after its edits, what is refused, and that nothing is left to do."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ratchet.codemod.proof import prove
from tests.codemod.rewrite.planning import STYLE, plan, rewrite_text, with_writes

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True, slots=True)
class Case:
    """A text before and after, and the reasons of the edits that are refused; without `after`, no change."""

    file: str
    name: str
    before: str
    after: str | None = None
    skips: tuple[str, ...] = ()


def cases() -> Iterator[Case]:
    """The cases of all files."""
    for file in sorted((Path(__file__).parent / "cases").glob("*.toml")):
        for entry in tomllib.loads(file.read_text(encoding="utf-8"))["case"]:
            skips = tuple(entry.pop("skips", ()))
            yield Case(file.stem, **entry, skips=skips)


CASES = tuple(cases())
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file}: {case.name}")


@each_case
def test_text_after(case: Case) -> None:
    outcome = rewrite_text(case.before, wanted=with_writes)
    new = outcome.rewritten.new.decode() if outcome.rewritten else None
    assert (new, tuple(skip.reason for skip in outcome.skips)) == (case.after, case.skips)


@each_case
def test_proof_holds_and_nothing_is_left(case: Case) -> None:
    outcome = rewrite_text(case.before, wanted=with_writes)
    if outcome.rewritten is None:
        return
    assert prove(outcome.rewritten, STYLE) == ()
    again = rewrite_text(outcome.rewritten.new.decode(), wanted=with_writes)
    assert again.rewritten is None


def test_edits_and_skips_are_the_plan() -> None:
    for case in CASES:
        outcome = rewrite_text(case.before, wanted=with_writes)
        made = outcome.rewritten.edits if outcome.rewritten else ()
        planned = [edit.id for edit in plan("srt/example.py", case.before, with_writes)]
        assert sorted([edit.id for edit in made] + [skip.id for skip in outcome.skips]) == sorted(planned)


def test_enough_must_not_change() -> None:
    changed = sum(case.after is not None for case in CASES)
    assert len(CASES) >= 150
    assert changed < len(CASES)
