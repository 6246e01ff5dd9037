"""The sites of now against those of another commit: `ratchet diff`."""

from __future__ import annotations

from ratchet.baseline.operations import from_sites
from ratchet.baseline.store import Baselines
from ratchet.checking.check import Checked, Request, judge_against, require_repository
from ratchet.checking.since import count_commit, unknown_then
from ratchet.frozen import dataclass
from ratchet.session import Session
from ratchet.source import git


@dataclass(frozen=True, slots=True)
class Difference:
    """A verdict in which the sites of a commit stand for the baseline."""

    commit: str
    checked: Checked


def compare_with(session: Session, rev: str) -> Difference:
    """What came and went since a commit, by today's rules; JudgeError where there is no such commit."""
    repository = require_repository(session, "a comparison of commits")
    commit = git.require_commit(repository, rev)

    def measured(engine: str | None) -> Baselines:
        then = count_commit(session, commit, engine)
        by_rule = {rule.id: from_sites(rule, then.sites.get(rule.id, ())) for rule in session.rules}
        return Baselines(session.place.baselines, by_rule, notes=unknown_then(then, rev), measured=True)

    return Difference(commit, judge_against(session, Request(since=rev), measured, commit))
