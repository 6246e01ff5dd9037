"""Projections, and the charts in a terminal and as SVG: whole outputs."""

from __future__ import annotations

from datetime import date, timedelta
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratchet.frozen import replace
from ratchet.history import svg
from ratchet.history.curve import Curve
from ratchet.history.model import Projection, Series, Step
from ratchet.history.projection import WINDOW, project
from ratchet.history.text import ASCII, UNICODE, Glyphs, lay_out, outlook
from ratchet.report.text import write
from tests.history.samples import commit, history, series, step


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        pytest.param([], Projection("unknown"), id="nothing"),
        pytest.param([(1, 5), (11, 0)], Projection("done"), id="done"),
        pytest.param([(11, 20), (21, 10)], Projection("falling", 2, 7.0, "2026-01-31"), id="falling"),
        pytest.param(
            [(1, 20), (3, 10)], Projection("falling", 2, 3.5, "2026-02-10"), id="slows-down-while-flat"
        ),
        pytest.param([(1, 9), (2, 5), (3, 9)], Projection("not-falling", 3, 0.0), id="there-and-back"),
        pytest.param([(1, 9), (11, 12)], Projection("not-falling", 2, -1.05), id="rising"),
        pytest.param([(1, 9)], Projection("not-falling", 1), id="one-step-stands-still"),
        pytest.param([(21, 9)], Projection("unknown", 1), id="no-time"),
        pytest.param([(1, 9), (2, None)], Projection("unknown"), id="no-number-now"),
        pytest.param([(1, 9), (2, None), (11, 4)], Projection("falling", 2, 1.75, "2026-02-06"), id="a-gap"),
    ],
)
def test_projection(steps: list[tuple[int, int | None]], expected: Projection) -> None:
    assert project([step(day, number) for day, number in steps], commit(21).date) == expected


@pytest.mark.parametrize(
    ("now", "outlook"), [("2026-01-02T11:59:59+00:00", "unknown"), ("2026-01-02T12:00:00+00:00", "falling")]
)
def test_the_pace_of_some_hours_leads_nowhere(now: str, outlook: str) -> None:
    assert project([step(1, 9), step(1, 5)], now).outlook == outlook


def test_a_projection_begins_anew_with_another_version_of_the_rule() -> None:
    steps = [step(1, 90), step(2, 30, adopted=True), step(12, 20)]
    assert project(steps, commit(12).date) == Projection("falling", 2, 7.0, "2026-02-01")


def test_a_projection_stands_on_the_last_steps() -> None:
    steps = [step(1, 500), *(step(day, 40 - day) for day in range(2, 2 + WINDOW))]
    assert project(steps, commit(11).date).per_week == 7.0


@given(st.lists(st.integers(0, 400), min_size=2, max_size=20))
def test_a_projected_end_is_where_the_line_meets_zero(numbers: list[int]) -> None:
    steps = [step(1 + at, number) for at, number in enumerate(numbers)]
    found = project(steps, commit(25).date)
    window = numbers[-WINDOW:]
    fall = window[0] - window[-1]
    assert (found.outlook == "done") == (numbers[-1] == 0)
    if found.outlook == "falling":
        days = 25 - (1 + len(numbers) - len(window))
        expected = date(2026, 1, 25) + timedelta(days=window[-1] * days / fall + 0.5)
        assert found.end == expected.isoformat()
    elif numbers[-1]:
        assert fall <= 0 or found.outlook == "not-falling"


@given(
    st.lists(st.tuples(st.integers(1, 31), st.none() | st.integers(0, 9)), min_size=1, max_size=9),
    st.integers(1, 40),
)
def test_a_curve_ends_with_the_number_of_now(points: list[tuple[int, int | None]], count: int) -> None:
    """Whatever clocks say, and however few the columns are."""
    curve = Curve.of(series(*(step(*point) for point in points)), commit(31).date)
    assert list(curve.times) == sorted(curve.times)
    samples = curve.samples(count)
    assert (len(samples), samples[-1]) == (count, points[-1][1])


FALLING = series(step(1, 39, "Start"), step(11, 38), step(21, 8, "A [bold] move\x1b[31m"), step(31, 1))
UNSURE = series(
    step(1, 4, "Start"),
    Step(commit(11), None, fault="writes.tsv:1: holds a merge conflict"),
    Step(commit(21), 3, 5, 2, unrecorded=3, stale=1),
    step(30, 9, adopted=True),
    rule="reads",
)


def text(width: int, *told: Series, glyphs: Glyphs = UNICODE) -> str:
    chosen = told or (FALLING, UNSURE)
    recounted = sum(step.counted is not None for each in chosen for step in each.steps)
    return write(lay_out(replace(history(*chosen), recounted=recounted), width, glyphs), color=False)


def test_a_chart_and_its_steps() -> None:
    assert (
        text(60, FALLING)
        == """\
writes  writes of the record
39 ┤█████████████████▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆
   │███████████████████████████████████
   │███████████████████████████████████
   │███████████████████████████████████
   │███████████████████████████████████
   │███████████████████████████████████
   │███████████████████████████████████▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅
 0 ┤█████████████████████████████████████████████████████▂
   └──────────────────────────────────────────────────────
    2026-01-01                                  2026-01-31
projected end: 2026-02-01, at 8.87 a week (a straight line through the last 4 steps)

2026-01-01 000000000 39        Ann: Start
2026-01-11 000000000 38    -1  Ann: Less
2026-01-21 000000000  8   -30  Ann: A [bold] move\\x1b[31m
2026-01-31 000000000  1    -7  Ann: Less
numbers of the committed baselines; --recount counts the trees
"""
    )


def test_what_is_not_known_is_said() -> None:
    assert (
        text(50, UNSURE).partition("\n\n")[2]
        == """\
2026-01-01 000000000  4        Ann: Start
2026-01-11 000000000  ?        Ann: Less
  writes.tsv:1: holds a merge conflict
2026-01-21 000000000 5+    +1  Ann: Less
  the baseline says 3, the tree has 5: 3 sites not in the baseline, 1 site of the baseline not in the tree
  2 files could not be judged: there may be more sites
2026-01-30 000000000  9        Ann: Less
  the rule has changed here: the numbers before cannot be compared
"""
    )


def test_a_chart_without_unicode_and_a_narrow_one() -> None:
    drawn = text(20, FALLING, glyphs=ASCII)
    assert drawn.isascii()
    assert (
        drawn
        == """\
writes  writes of the record
39 |####:::::
   |#########
   |#########
   |#########
   |#########
   |#########
   |#########::::
 0 |#############.
   +--------------
    2026-01-01
projected end: 2026-02-01, at 8.87 a week (a straight line through the last 4 steps)

2026-01-01 000000000 39        Ann: Start
2026-01-11 000000000 38    -1  Ann: Less
2026-01-21 000000000  8   -30  Ann: A [bold] m~
2026-01-31 000000000  1    -7  Ann: Less
numbers of the committed baselines; --recount counts the trees
"""
    )


def test_many_rules_are_a_table() -> None:
    many = [series(step(1, 10 * at), step(21, 5 * at), rule=f"rule-{at}") for at in range(1, 5)]
    told = history(*many, series(rule="silent"))
    wide = write(lay_out(told, 90), color=False)
    assert (
        wide
        == """\
rule-1  █████████████████████▄▄▄▄▄▄▄▄▄▄▄   10 → 5  0 on 2026-03-02 at 1.17 a week
rule-2  █████████████████████▄▄▄▄▄▄▄▄▄▄▄  20 → 10  0 on 2026-03-02 at 2.33 a week
rule-3  █████████████████████▄▄▄▄▄▄▄▄▄▄▄  30 → 15  0 on 2026-03-02 at 3.5 a week
rule-4  █████████████████████▄▄▄▄▄▄▄▄▄▄▄  40 → 20  0 on 2026-03-02 at 4.67 a week
without a baseline in this history: silent
ratchet history RULE shows its chart and its steps
numbers of the committed baselines; --recount counts the trees
"""
    )
    narrow = write(lay_out(told, 50), color=False)
    assert "█" not in narrow
    assert narrow.startswith("rule-1   10 → 5  0 on ")


@pytest.mark.parametrize(
    ("number", "counted", "says"),
    [
        pytest.param(0, None, "done: the baseline holds no site", id="recorded"),
        pytest.param(0, 0, "done: no site is left", id="counted"),
        pytest.param(0, 101, "not falling (a straight line through the last 2 steps)", id="red"),
    ],
)
def test_done_is_said_of_what_was_looked_at(number: int, counted: int | None, says: str) -> None:
    told = series(step(1, 3), replace(step(31, number), counted=counted))
    assert says in text(60, told).splitlines()


@pytest.mark.parametrize(
    ("count", "says"),
    [(1, "rule-0"), (3, "rule-0, rule-1, rule-2"), (4, "4 rules")],
    ids=["one", "few", "many"],
)
def test_rules_without_a_baseline_are_named(count: int, says: str) -> None:
    silent = [series(rule=f"rule-{at}") for at in range(count)]
    lines = write(lay_out(history(FALLING, *silent), 90), color=False).splitlines()
    assert f"without a baseline in this history: {says}" in lines


@pytest.mark.parametrize(
    ("fall", "says"),
    [(37, "9.25 a week"), (49, "12.2 a week"), (400, "100 a week"), (9999, "2,500 a week")],
)
def test_a_pace_is_told_as_exactly_as_it_is_worth(fall: int, says: str) -> None:
    assert outlook(series(step(1, 10_000), step(29, 10_000 - fall), now=29)).endswith(f"at {says}")


def test_a_picture_is_closed_in_itself_and_escaped() -> None:
    evil = series(step(1, 3, "</title><script>alert(1)</script>"), step(2, 1), rule="<b>&")
    picture = svg.render(history(FALLING, UNSURE, evil))
    root = ElementTree.fromstring(picture)
    names = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert names == {"svg", "style", "rect", "g", "text", "line", "polygon", "polyline", "circle", "title"}
    assert "http" not in picture.replace("http://www.w3.org/2000/svg", "", 1)
    titles = [element.text or "" for element in root.iter() if element.tag.endswith("title")]
    assert len(titles) == 4 + 4 + 2
    assert titles[8] == "3: 2026-01-01 000000000000 Ann: </title><script>alert(1)</script>"
    assert titles[2].endswith("A [bold] move\\x1b[31m")
    bad = [element for element in root.iter() if element.get("class") == "bad"]
    assert len(bad) == 2, "a number that is not known, and one that disagrees"


def test_a_picture_cuts_the_line_where_nothing_is_known() -> None:
    root = ElementTree.fromstring(svg.render(history(UNSURE)))
    lines = [element.get("points", "") for element in root.iter() if element.tag.endswith("polyline")]
    assert len(lines) == 2
    assert lines[0].split()[0] == "56.0,101.8"


def test_a_picture_draws_a_step_of_the_last_moment() -> None:
    root = ElementTree.fromstring(svg.render(history(series(step(1, 4), step(31, 1)))))
    (line,) = [element.get("points", "") for element in root.iter() if element.tag.endswith("polyline")]
    assert line == "56.0,44.0 736.0,44.0 736.0,122.0 736.0,122.0 736.0,122.0"


def test_a_picture_without_any_history() -> None:
    assert "no rule has a history yet" in svg.render(history(series()))
