"""The story of rules as text for a terminal: one line a rule, or a chart with its steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ratchet.escape import display_path as inert
from ratchet.frozen import dataclass
from ratchet.history.curve import Curve
from ratchet.history.model import History, Projection, Series, Step
from ratchet.report.layout import Line, Segment, Style
from ratchet.wording import plural

CHARTS = 3
"""So many rules are shown with chart and steps; more are a table."""

_HEIGHT = 8
_WIDEST = 96
_NARROW = 64


@dataclass(frozen=True, slots=True)
class Glyphs:
    """What a chart is drawn with: a full cell and its parts from below, and the axes."""

    parts: str
    unknown: str
    axis: str
    tick: str
    corner: str
    floor: str
    arrow: str
    cut: str


UNICODE = Glyphs(" ▁▂▃▄▅▆▇█", "·", "│", "┤", "└", "─", "→", "…")
ASCII = Glyphs(" ...::::#", "?", "|", "|", "+", "-", "->", "~")


def lay_out(history: History, width: int, glyphs: Glyphs = UNICODE) -> Iterator[Line]:
    """The lines of the story, `width` characters wide where the text allows it."""
    told = [series for series in history.series if series.steps]
    silent = [series.rule for series in history.series if not series.steps]
    if len(told) > CHARTS:
        yield from _table(told, history, width, glyphs)
    else:
        for number, series in enumerate(told):
            yield from ((),) * bool(number)
            yield from _whole(series, history, width, glyphs)
    if silent:
        named = ", ".join(map(inert, silent)) if len(silent) <= CHARTS else plural(len(silent), "rule")
        yield ((f"without a baseline in this history: {named}", "faint"),)
    if len(told) > CHARTS:
        yield (("ratchet history RULE", "command"), (" shows its chart and its steps", ""))
    if told and not history.recounted:
        yield (
            ("numbers of the committed baselines; ", "faint"),
            ("--recount", "command"),
            (" counts the trees", "faint"),
        )
    for note in history.notes:
        yield ((f"note: {inert(note)}", "stale"),)


# One line a rule


def _table(told: Sequence[Series], history: History, width: int, glyphs: Glyphs) -> Iterator[Line]:
    names = max(len(series.rule) for series in told)
    spans = [_span(series, glyphs) for series in told]
    longest = max(map(len, spans))
    room = width - names - longest - 4 - max(len(outlook(series)) for series in told) - 2
    for series, span in zip(told, spans, strict=True):
        line: list[Segment] = [(f"{inert(series.rule):<{names}}  ", "title")]
        if width >= _NARROW and room >= 8:
            line.append((f"{_spark(series, history, min(room, 32), glyphs)}  ", ""))
        line += [(f"{span:>{longest}}", ""), (f"  {outlook(series)}", "faint")]
        yield tuple(line)


def _spark(series: Series, history: History, width: int, glyphs: Glyphs) -> str:
    curve = Curve.of(series, history.head.date)
    return "".join(_cell(number, curve.top, 0, 1, glyphs) for number in curve.samples(width))


def _span(series: Series, glyphs: Glyphs) -> str:
    numbers = series.numbers
    if not numbers:
        return "?"
    return f"{numbers[0]:,} {glyphs.arrow} {numbers[-1]:,}"


def outlook(series: Series) -> str:
    """Where a series leads, in words."""
    projection = series.projection
    if projection.outlook == "done":
        return "done"
    if projection.outlook == "falling":
        return f"0 on {projection.end} at {_pace(projection)} a week"
    if projection.outlook == "not-falling":
        return "not falling"
    return "no projection yet"


def _pace(projection: Projection) -> str:
    """By how many sites a number falls in a week, as exactly as a straight line is worth."""
    pace = projection.per_week
    return f"{pace:,.0f}" if pace >= 100 else f"{pace:.3g}"


# Chart and steps


def _whole(series: Series, history: History, width: int, glyphs: Glyphs) -> Iterator[Line]:
    yield ((inert(series.rule), "title"), (f"  {inert(series.title)}", ""))
    if len(series.steps) > 1:
        yield from _chart(series, history, width, glyphs)
    yield ((_sentence(series), "good" if series.projection.outlook in ("done", "falling") else "stale"),)
    yield ()
    yield from _steps(series, width, glyphs)


def _sentence(series: Series) -> str:
    projection = series.projection
    basis = f"a straight line through the last {plural(projection.steps, 'step')}"
    if projection.outlook == "falling":
        return f"projected end: {projection.end}, at {_pace(projection)} a week ({basis})"
    if projection.outlook == "not-falling":
        return f"not falling ({basis})"
    if projection.outlook == "done":
        counted = series.steps[-1].counted is not None
        return "done: no site is left" if counted else "done: the baseline holds no site"
    return "no projection: too few steps yet, or within a day"


def _chart(series: Series, history: History, width: int, glyphs: Glyphs) -> Iterator[Line]:
    curve = Curve.of(series, history.head.date)
    label = len(f"{curve.top:,}")
    samples = curve.samples(max(8, min(width - label - 4, _WIDEST)))
    for row in reversed(range(_HEIGHT)):
        named = {_HEIGHT - 1: f"{curve.top:,}", 0: "0"}.get(row, "")
        axis = glyphs.tick if named else glyphs.axis
        cells = "".join(_cell(number, curve.top, row, _HEIGHT, glyphs) for number in samples)
        yield ((f"{named:>{label}} {axis}", "faint"), (cells.rstrip(), ""))
    yield ((f"{'':{label}} {glyphs.corner}{glyphs.floor * len(samples)}", "faint"),)
    first, last = series.steps[0].commit.date[:10], history.head.date[:10]
    gap = len(samples) - len(first) - len(last)
    yield ((f"{'':{label}}  {first}{' ' * gap + last if gap > 0 else ''}", "faint"),)


def _cell(number: int | None, top: int, row: int, height: int, glyphs: Glyphs) -> str:
    """What stands in one row, from below, of a column of the chart."""
    if number is None:
        return glyphs.unknown if row == 0 else " "
    full = len(glyphs.parts) - 1
    filled = number * height * full / top - row * full
    # One site is never drawn as none.
    least = 1 if number and row == 0 else 0
    return glyphs.parts[max(least, min(full, round(filled)))]


def _steps(series: Series, width: int, glyphs: Glyphs) -> Iterator[Line]:
    before: int | None = None
    longest = max(len(_number(step)) for step in series.steps)
    for step in series.steps:
        number = _number(step)
        difference = 0 if before is None or step.number is None or step.adopted else step.number - before
        change = f"{difference:+d}" if difference else ""
        style: Style = "good" if difference < 0 else "bad" if difference else ""
        head: list[Segment] = [
            (f"{step.commit.date[:10]} {step.commit.id[:9]} ", "faint"),
            (f"{number:>{longest}} ", "title"),
            (f"{change:>5}  ", style),
        ]
        room = max(16, width - sum(len(text) for text, _ in head))
        yield (
            *head,
            (_shortened(f"{inert(step.commit.author)}: {inert(step.commit.subject)}", room, glyphs), ""),
        )
        yield from ((("  " + remark, "stale"),) for remark in _remarks(step))
        before = before if step.number is None else step.number


def _number(step: Step) -> str:
    if step.number is None:
        return "?" if step.fault else "-"
    return f"{step.number:,}{'+' * bool(step.unjudged)}"


def _remarks(step: Step) -> Iterator[str]:
    if step.adopted:
        yield "the rule has changed here: the numbers before cannot be compared"
    if step.disagrees:
        parts = [f"{plural(step.unrecorded, 'site')} not in the baseline"] * bool(step.unrecorded)
        parts += [f"{plural(step.stale, 'site')} of the baseline not in the tree"] * bool(step.stale)
        yield f"the baseline says {step.committed:,}, the tree has {step.counted:,}: {', '.join(parts)}"
    if step.unjudged:
        yield f"{plural(step.unjudged, 'file')} could not be judged: there may be more sites"
    if step.fault:
        yield inert(step.fault)


def _shortened(text: str, room: int, glyphs: Glyphs) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}{glyphs.cut}"
