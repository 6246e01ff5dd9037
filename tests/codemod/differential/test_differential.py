"""Generated engines say the same before and after their migration, on the vendored runtime."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ratchet.codemod.model import Accessor, Edit
from ratchet.codemod.sites import Selection
from ratchet.frozen import replace as changed
from tests.codemod.differential.comparing import Compared, compared, told
from tests.codemod.differential.grammar import engine
from tests.codemod.differential.layouts import laid_out
from tests.codemod.differential.migrating import Change
from tests.codemod.differential.running import Program, Runtime
from tests.examples import times

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SELECTIONS = (
    Selection(),
    Selection(chains=True),
    Selection(writes=True),
    Selection(writes=True, chains=True, parameters=True),
)
MANY = times(500)
FEW = times(15)
TALLY: Counter[str] = Counter()
COMMON = settings(
    phases=[Phase.generate],
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime()


@st.composite
def engines(draw: st.DrawFn) -> tuple[Program, Selection]:
    """An engine, and what of it is to move: with copies handed on, no more than moves by default."""
    # One long number instead of hundreds of small ones: drawing those takes longer than all the rest.
    random = draw(st.randoms(use_true_random=False))
    program, drafts = engine(lambda options: random.randrange(options))
    return program, random.choice(SELECTIONS[:2] if drafts else SELECTIONS)


def check(runtime: Runtime, program: Program, selection: Selection) -> None:
    result = compared(runtime, program, selection)
    assert not result.differences, told(program, result)


@settings(COMMON, max_examples=FEW)
@given(engines())
def test_a_few_engines_say_the_same(runtime: Runtime, made: tuple[Program, Selection]) -> None:
    check(runtime, *made)


@pytest.mark.slow
@settings(COMMON, max_examples=MANY)
@given(engines(), st.integers(0, 4))
def test_many_engines_say_the_same(runtime: Runtime, made: tuple[Program, Selection], again: int) -> None:
    result = compared(runtime, *made, again=not again)
    assert not result.differences, told(made[0], result)
    TALLY[_outcome(result)] += 1
    TALLY["sites"] += result.edits


@settings(COMMON, max_examples=FEW)
@given(st.integers(1, 10**9))
def test_engines_that_are_laid_out_oddly_say_the_same(runtime: Runtime, seed: int) -> None:
    random = Random(seed)
    program, drafts = engine(random.randrange)
    selection = random.choice(SELECTIONS[:2] if drafts else SELECTIONS)
    check(runtime, {name: laid_out(text, random) for name, text in program.items()}, selection)


@pytest.mark.slow
def test_most_of_them_are_compared() -> None:
    """Of the engines just seen, few were left out because the plan itself tells of reads that go stale."""
    if TALLY:
        assert TALLY["compared"] > 0.6 * (TALLY.total() - TALLY["sites"]), TALLY
        assert TALLY["sites"] > 5 * TALLY["compared"], TALLY


def _outcome(result: Compared) -> str:
    return "told" if result.told else "compared" if result.edits else "nothing moved"


def cases() -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = tomllib.loads(Path(__file__).with_name("cases.toml").read_text())["case"]
    return found


@pytest.mark.parametrize("case", cases(), ids=lambda case: str(case["name"]))
def test_what_was_wrong_once(runtime: Runtime, case: Mapping[str, Any]) -> None:
    asked = case.get("asked", ())
    selection = Selection(writes="writes" in asked, chains="chains" in asked)
    program = {"core": f"from sglang.srt.engine.trace import attempt, note\n{case['code']}"}
    result = compared(runtime, program, selection)
    assert (result.differences, result.edits) == ((), case["moves"]), told(program, result)


# A comparison that cannot fail proves nothing: each corruption of the edits has to be noticed.


def to_another_leaf(edit: Edit) -> Edit | None:
    return changed(edit, after=edit.after.replace(".page_size", ".max_running_requests"))


def without_a_read(edit: Edit) -> Edit | None:
    return None if edit.operation == "read" and edit.field == "page_size" else edit


def without_a_write(edit: Edit) -> Edit | None:
    return None if edit.operation == "write" and edit.field == "page_size" else edit


def to_another_namespace(edit: Edit) -> Edit | None:
    return changed(edit, after=edit.after.replace("get_schedule()", "get_memory()"), accessor=_memory(edit))


def _memory(edit: Edit) -> Accessor:
    known = edit.accessor
    return changed(known, name="get_memory") if known.name == "get_schedule" else known


PLANTED = """\
from sglang.srt.engine.trace import attempt, note
from sglang.srt.runtime_context import get_server_args


def step():
    note("first", get_server_args().page_size)
    get_server_args().page_size = 8
    note("then", get_server_args().page_size)


def main(server_args):
    attempt(step)
"""


@pytest.mark.parametrize("corrupt", [to_another_leaf, without_a_read, without_a_write, to_another_namespace])
def test_a_wrong_rewrite_is_noticed(runtime: Runtime, corrupt: Change) -> None:
    program = {"core": PLANTED}
    assert compared(runtime, program, Selection(writes=True)).differences == ()
    assert compared(runtime, program, Selection(writes=True), corrupt).differences
