"""Generated programs: nothing that they really read or write may be missing from what the analysis sees."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ratchet.model import COMPUTED, Access
from tests.analysis.cases import accesses
from tests.analysis.programs import Draw, program, rebound_program
from tests.analysis.recording import Happened, Trace, run
from tests.examples import times

# What a use may be reported as, by what happened to the field: it is read before it is called or changed.
REPORTED_AS = {
    "read": {"read", "call", "mutate"},
    "write": {"write"},
    "delete": {"delete"},
}
RUNS = range(6)

# Shrinking takes minutes, so that only the long run does it.
FEW = settings(
    phases=[Phase.generate],
    max_examples=times(80),
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
MANY = settings(FEW, max_examples=times(1000), phases=[Phase.generate, Phase.shrink])


@st.composite
def programs(draw: st.DrawFn, escapes: bool) -> str:
    return program(choices(draw), escapes=escapes)


@st.composite
def rebound_programs(draw: st.DrawFn) -> str:
    return rebound_program(choices(draw))


def choices(draw: st.DrawFn) -> Draw:
    return lambda options: draw(st.integers(0, options - 1))


def missing(happened: Happened, found: tuple[Access, ...]) -> Happened:
    """What happened and no access says, by field; a name computed in the program may be reported as such."""
    seen = {(access.operation, access.field) for access in found}
    written = {field for operation, field in happened if operation == "write"}
    return {
        (operation, field)
        for operation, field in happened
        if not (operation == "read" and field in written)  # an augmented store reads, and is one write
        and not any(
            (reported, name) in seen
            for reported in REPORTED_AS[operation]
            for name in ([COMPUTED, field] if field.startswith("d") else [field])
        )
    }


def check_followed(text: str) -> None:
    """The record stays where it can be followed: each use is an access of its own."""
    assert missing(run(text, RUNS).happened, accesses(text)) == set(), text


def check_escaping(text: str) -> None:
    """The record may leave: what happens to it before is an access, what happens after needs an escape."""
    trace, found = run(text, RUNS), accesses(text)
    assert missing(trace.happened, found) == set(), text
    assert any(access.operation == "escape" for access in found) or not missing(trace.leaked, found), text


def check_rebound(text: str) -> None:
    """No name is the record any more: nothing is reported."""
    assert run(text, RUNS) == Trace(), text
    assert accesses(text) == (), text


@given(text=programs(escapes=False))
@FEW
def test_what_happens_is_reported(text: str) -> None:
    check_followed(text)


@given(text=programs(escapes=True))
@FEW
def test_what_happens_is_reported_or_the_record_left(text: str) -> None:
    check_escaping(text)


@given(text=programs(escapes=True))
@FEW
def test_the_same_program_around_another_tool_gives_nothing(text: str) -> None:
    twin = text.replace("sglang.srt", "othertool.srt").replace("sglang", "othertool")
    assert accesses(twin.replace("main(server_args)", "main(c)").replace("server_args", "sargs")) == ()


@given(text=rebound_programs())
@FEW
def test_names_that_are_no_record_any_more_give_nothing(text: str) -> None:
    check_rebound(text)


@pytest.mark.slow
@given(text=programs(escapes=False))
@MANY
def test_what_happens_is_reported_in_many_programs(text: str) -> None:
    check_followed(text)


@pytest.mark.slow
@given(text=rebound_programs())
@MANY
def test_names_that_are_no_record_any_more_give_nothing_in_many_programs(text: str) -> None:
    check_rebound(text)
