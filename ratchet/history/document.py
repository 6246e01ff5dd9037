"""The story of rules as the JSON reports hold it; see `docs/history.md`."""

from __future__ import annotations

from ratchet.history.model import History, Series, Step


def history_json(history: History) -> dict[str, object]:
    """What `ratchet history` says, without the head of all reports."""
    return {
        "head": history.head.id,
        "date": history.head.date,
        "recounted": history.recounted,
        "notes": list(history.notes),
        "rules": [_series(series) for series in history.series],
    }


def _series(series: Series) -> dict[str, object]:
    projection = series.projection
    return {
        "id": series.rule,
        "title": series.title,
        "mode": series.mode,
        "projection": {
            "outlook": projection.outlook,
            "steps": projection.steps,
            "per_week": projection.per_week,
            "end": projection.end,
        },
        "steps": [_step(step) for step in series.steps],
    }


def _step(step: Step) -> dict[str, object]:
    return {
        "commit": step.commit.id,
        "author": step.commit.author,
        "date": step.commit.date,
        "subject": step.commit.subject,
        "number": step.number,
        "committed": step.committed,
        "counted": step.counted,
        "unjudged": step.unjudged,
        "adopted": step.adopted,
        "unrecorded": step.unrecorded,
        "stale": step.stale,
        "fault": step.fault,
    }
