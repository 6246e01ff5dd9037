"""The story of rules as SVG: one panel a rule, readable on light and dark ground."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timezone
from html import escape

from ratchet.escape import display_path as inert
from ratchet.history.curve import Curve
from ratchet.history.model import History, Series
from ratchet.history.text import outlook

_Scale = Callable[[float], float]

WIDTH = 760
PANEL = 190

_LEFT, _RIGHT, _TOP, _HEIGHT = 56, 24, 44, 104
_ABOVE, _BELOW = 32, 176  # what a panel takes without its heading
_STYLE = """\
text{font:12px system-ui,sans-serif;fill:#444}.title{font-weight:600;font-size:14px;fill:#111}
.line{fill:none;stroke:#0b62a8;stroke-width:2}.area{fill:#0b62a8;fill-opacity:.12}.dot{fill:#0b62a8}
.axis{stroke:#bbb;stroke-width:1}.bad{fill:#c62828}.ground{fill:#fff}
@media (prefers-color-scheme:dark){text{fill:#bbb}.title{fill:#eee}.line{stroke:#6cb6ff}
.area,.dot{fill:#6cb6ff}.axis{stroke:#555}.bad{fill:#ff7b72}.ground{fill:#16191d}}"""


def render(history: History, width: int = WIDTH) -> str:
    """The picture, as one document without references; everything shown is escaped.

    `width` is its width in pixels; the texts in it stay as large as they are.
    """
    told = [series for series in history.series if series.steps]
    height = PANEL * max(1, len(told))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" role="img" aria-label="The number of sites of each rule over time">',
        f"<style>{_STYLE}</style>",
        f'<rect class="ground" width="{width}" height="{height}"/>',
    ]
    for number, series in enumerate(told):
        parts.append(f'<g transform="translate(0 {number * PANEL})">')
        parts += _heading(series, width)
        parts += _panel(series, history, width)
        parts.append("</g>")
    if not told:
        parts.append(_text(_LEFT, 40, "no rule has a history yet"))
    return "\n".join([*parts, "</svg>\n"])


def plot(series: Series, history: History, width: int) -> str:
    """The picture of one series without its name, for a place that says it; `width` is in pixels."""
    height = _BELOW - _ABOVE
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {_ABOVE} {width} {height}" width="{width}"'
            f' height="{height}">',
            f"<style>{_STYLE}</style>",
            *_panel(series, history, width),
            "</svg>\n",
        ]
    )


def change(series: Series) -> str:
    """The first and the last number of a series, and what is expected of it."""
    numbers = series.numbers
    fall = f"{numbers[0]:,} → {numbers[-1]:,}" if numbers else "no number known"
    return f"{fall}, {outlook(series)}"


def _heading(series: Series, width: int) -> Iterator[str]:
    yield _text(16, 24, series.rule, "title")
    yield _text(width - _RIGHT, 24, change(series), anchor="end")


def _panel(series: Series, history: History, width: int) -> Iterator[str]:
    curve = Curve.of(series, history.head.date)
    x_of, y_of = _scales(curve, width)
    for number in (0, curve.top):
        y = y_of(number)
        yield f'<line class="axis" x1="{_LEFT}" x2="{width - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield _text(_LEFT - 8, y + 4, f"{number:,}", anchor="end")
    below = _TOP + _HEIGHT + 20
    yield _text(_LEFT, below, series.steps[0].commit.date[:10])
    yield _text(width - _RIGHT, below, _day(curve.end), anchor="end")
    for stretch in _stretches(curve):
        points = _stairs(stretch, x_of, y_of)
        floor = y_of(0)
        first, last = points[0][0], points[-1][0]
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        yield f'<polygon class="area" points="{first:.1f},{floor:.1f} {corners} {last:.1f},{floor:.1f}"/>'
        yield f'<polyline class="line" points="{corners}"/>'
    yield from _dots(series, curve, x_of, y_of)


def _scales(curve: Curve, width: int) -> tuple[_Scale, _Scale]:
    start = curve.times[0]
    length = (curve.end - start) or 1.0
    wide = width - _LEFT - _RIGHT

    def x_of(time: float) -> float:
        return _LEFT + wide * (time - start) / length

    def y_of(number: float) -> float:
        return _TOP + _HEIGHT * (1 - number / curve.top)

    return x_of, y_of


def _stretches(curve: Curve) -> Iterator[list[tuple[float, int]]]:
    """The known numbers with their times, cut where the number is not known; each ends with its last time."""
    current: list[tuple[float, int]] = []
    for time, number in zip(curve.times, curve.numbers, strict=True):
        if number is not None:
            current.append((time, number))
        elif current:
            yield [*current, (time, current[-1][1])]
            current = []
    if current:
        yield [*current, (curve.end, current[-1][1])]


def _stairs(stretch: Sequence[tuple[float, int]], x_of: _Scale, y_of: _Scale) -> list[tuple[float, float]]:
    points: list[tuple[float, float]] = []
    for time, number in stretch:
        if points:
            points.append((x_of(time), points[-1][1]))
        points.append((x_of(time), y_of(number)))
    return points


def _dots(series: Series, curve: Curve, x_of: _Scale, y_of: _Scale) -> Iterator[str]:
    for step, time in zip(series.steps, curve.times, strict=True):
        commit = step.commit
        told = f"{commit.date[:10]} {commit.id[:12]} {commit.author}: {commit.subject}"
        number = "unknown" if step.number is None else f"{step.number:,}"
        if step.disagrees:
            told = f"{told} (the baseline says {step.committed}, the tree has {step.counted})"
        kind = "bad" if step.disagrees or step.unjudged or step.number is None else "dot"
        place = f'cx="{x_of(time):.1f}" cy="{y_of(step.number or 0):.1f}"'
        title = escape(inert(f"{number}: {told}"))
        yield f'<circle class="{kind}" {place} r="3"><title>{title}</title></circle>'


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{named}>{escape(inert(text))}</text>'


def _day(time: float) -> str:
    return datetime.fromtimestamp(time, tz=timezone.utc).date().isoformat()
