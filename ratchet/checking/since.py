"""A tree of another commit as what today's sites are compared with, judged by today's rules."""

from __future__ import annotations

from collections.abc import Collection

from ratchet.baseline.operations import from_sites, with_allowances, without_lapsed
from ratchet.baseline.store import Baselines, read_baseline
from ratchet.checking.check import require_repository
from ratchet.checking.committed import baselines_at
from ratchet.errors import JudgeError
from ratchet.model import Rule
from ratchet.session import Session
from ratchet.source import git
from ratchet.source.objects import git_tree
from ratchet.tally import Tally


def baselines_since(
    session: Session, ref: str, engine: str | None, rules: Collection[Rule], today: str
) -> Baselines:
    """What stood in the tree when this branch left `ref`, and what the branch itself allowed since.

    Raises JudgeError where that commit cannot be told, or holds no file of the tree.
    """
    repository = require_repository(session, "--since")
    base = git.merge_base(repository, ref)
    then = count_commit(session, base, engine)
    before = baselines_at(session, base, rules)
    folder = session.place.baselines
    by_rule = {}
    for rule in rules:
        measured = from_sites(rule, then.sites.get(rule.id, ()))
        now = read_baseline(folder, rule) if rule.mode != "ban" else None
        allowed = without_lapsed(now, today) if now else None
        by_rule[rule.id] = with_allowances(measured, before.get(rule.id), allowed) if allowed else measured
    return Baselines(folder, by_rule, notes=unknown_then(then, ref), measured=True)


def count_commit(session: Session, commit: str, engine: str | None) -> Tally:
    """The sites in the tree of a commit, by today's rules and for the given engine version."""
    repository = require_repository(session, "a comparison of commits")
    place = session.place
    source = git_tree(repository, commit, place.prefix, place.excludes)
    try:
        if not source.entries():
            raise JudgeError(
                f"the commit {commit[:12]} holds no Python file in {place.prefix or 'the repository'},"
                " so there is nothing to compare with; name another one"
            )
        return session.count(session.tree(source, f"@{commit}", engine))
    finally:
        source.close()


def unknown_then(then: Tally, ref: str) -> tuple[str, ...]:
    """A sentence for each file whose sites of then are unknown, so that its sites of now count as new."""
    paths = dict.fromkeys(problem.path for problem in then.census.problems)
    return tuple(f"{path} could not be judged in the tree of {ref}: all its sites are new" for path in paths)
