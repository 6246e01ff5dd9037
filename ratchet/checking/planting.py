"""Shows that the gate works: plants each rule's bad example in a scratch tree and runs the check over it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from ratchet.cache import Cache
from ratchet.checking.check import Request, check
from ratchet.frozen import dataclass, replace
from ratchet.matching.engines import engine_applies
from ratchet.matching.paths import path_filter
from ratchet.matching.places import spans_files
from ratchet.model import Example, Problem, Rule, Site
from ratchet.session import Session
from ratchet.source.entries import Source

PLANTED = "planted_by_ratchet"
"""How a planted file is called, where the rule does not look at certain files only."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What the check said of a rule's planted example: the new sites that it named, and its exit code.

    `path` is the planted file. `skipped` says why nothing was planted. `faults` kept the check from judging.
    """

    rule: Rule
    path: str = ""
    expected: int = 0
    sites: tuple[Site, ...] = ()
    exit_code: int = 0
    skipped: str | None = None
    faults: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the gate did what it must: it named every planted site, and failed unless it only warns."""
        if self.skipped is not None:
            return True
        fails = self.exit_code == 1 or self.rule.mode == "warn"
        return fails and len(self.sites) == self.expected


def prove(session: Session, rules: Iterable[str], today: str) -> tuple[Proof, ...]:
    """Plant the first bad example of each rule, one after the other, and check it against the baselines.

    The scratch tree holds what says which schema and engine version the tree has, and the planted file; the
    tree itself is not touched. Raises as `check` does, as for a rule without a baseline.
    """
    chosen = session.choose(rules)
    with tempfile.TemporaryDirectory(prefix="ratchet-") as folder:
        declaring = session.work_tree(session.declaring())
        engine = session.tree(declaring).engine
        # A cache of its own: what declares the schema is judged once, and not once a rule.
        cache = Cache.open(Path(folder) / "cache")
        try:
            proofs = []
            for rule in chosen:
                # A check of one file takes the others as the last run in this root saw them.
                name = rule.id if _sees_others(rule) else "alone"
                root = Path(folder).resolve() / name / session.pack.package
                if not root.exists():
                    _copy(declaring, root)
                scratch = replace(session, cwd=root, cache=cache, progress=None)
                proofs.append(_prove(scratch, rule, root, engine, today))
            return tuple(proofs)
        finally:
            cache.close()


def _sees_others(rule: Rule) -> bool:
    """Whether what a rule counts in a file hangs on other ones."""
    return rule.kind in ("flow", "role") or any(example.files for example in rule.examples)


def _copy(source: Source, root: Path) -> None:
    """Copy the files that declare schema and engine version."""
    for entry in source.entries():
        data = source.read(entry.path)
        if not isinstance(data, Problem):
            _plant(root, entry.path, data)
    root.mkdir(parents=True, exist_ok=True)


def _prove(session: Session, rule: Rule, root: Path, engine: str | None, today: str) -> Proof:
    example = next((each for each in rule.examples if each.bad is not None), None)
    if example is None or example.bad is None:
        return Proof(rule, skipped="it has no bad example")
    engine = example.engine or engine
    if not engine_applies(rule.engines, engine):
        return Proof(rule, skipped=f"it is for engine versions {rule.engines}, and the tree is {engine}")
    path = _place(rule, example, root)
    for other, code in example.files:
        _plant(root, other, code.encode())
    file = _plant(root, path, example.bad.encode())
    place = replace(session.place, root=root, repository=None, prefix="", engine=engine, exclude=(), jobs=1)
    try:
        verdict = check(
            replace(session, place=place), Request(paths=(path,), rules=(rule.id,), today=today)
        ).verdict
    finally:
        file.unlink()
    sites = tuple(site for entry in verdict.rules for site in entry.new if site.path == path)
    faults = (*verdict.faults, *(f"{at.path}:{at.line}: {at.message}" for at in verdict.census.problems))
    return Proof(rule, path, example.sites, sites, verdict.exit_code, faults=faults)


def _place(rule: Rule, example: Example, root: Path) -> str:
    """Where to plant: beside where the example says it stands, or there if the rule looks at that file only.

    A name of its own keeps the planted sites apart from those that the baseline knows.
    """
    folder = example.path.rpartition("/")[0]
    own = f"{folder}/{PLANTED}.py" if folder else f"{PLANTED}.py"
    looks = path_filter(rule.paths) if rule.paths else None
    exempt = path_filter([path for entry in rule.exempt if spans_files(entry) for path in entry.paths])
    if (looks is None or looks(own)) and not exempt(own) and not (root / own).exists():
        return own
    return example.path


def _plant(root: Path, path: str, data: bytes) -> Path:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    return place
