"""Compares the plan of a migration with what the maintainers did by hand between two releases.

    python benchmarks/agreement/measure.py

plans all namespaces, writes included, on the earlier release, looks every edit up in the later one, and
writes README.md beside this file. RATCHET_TREES names the folder that holds the releases, as `make sglang`
makes it.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from later import Key, Later

from ratchet.checking.migration import Request, plan_migration, scan_tree, subject_of
from ratchet.codemod.model import Edit, Plan, Skip
from ratchet.codemod.plan import Subject
from ratchet.codemod.sites import PlanSite, sites_of
from ratchet.session import Options, open_sessions

EARLIER, LATER = "0.5.16", "0.5.17"
PAGE = Path(__file__).with_name("README.md")


@dataclass(frozen=True, slots=True)
class Agreement:
    """Every edit by what the later release does in its function, and every read that moved by the plan.

    `agreed` and `through` edits read (or write) the namespace there, the latter in a helper that the
    function uses instead; `contrary` ones touch the record still; of `gone` ones the function does neither
    any more. `missed` pairs a read that moved with the skip that it is in the plan. `borrowed` are the ids of
    the edits whose record comes off another object, at whatever distance.
    """

    agreed: tuple[Edit, ...]
    through: tuple[Edit, ...]
    contrary: tuple[Edit, ...]
    gone: tuple[Edit, ...]
    absent: tuple[Edit, ...]
    found: tuple[PlanSite, ...]
    missed: tuple[tuple[PlanSite, Skip], ...]
    borrowed: frozenset[str]

    @property
    def precision(self) -> float:
        """The share that agrees, of the edits whose function still does either."""
        good = len(self.agreed) + len(self.through)
        return good / (good + len(self.contrary))

    @property
    def strict_precision(self) -> float:
        """The share that agrees, of all edits whose function is still there."""
        good = len(self.agreed) + len(self.through)
        return good / (good + len(self.contrary) + len(self.gone))

    @property
    def recall(self) -> float:
        """The share that is planned, of the direct reads that moved."""
        return len(self.found) / (len(self.found) + len(self.missed))


def measure(trees: Path, cache: Path | None = None) -> Agreement:
    """Plan on the earlier release, and look the edits up in the later one."""
    earlier, plan = _planned(trees / EARLIER / "sglang", cache)
    later = Later(_planned(trees / LATER / "sglang", cache)[0])
    sorted_out: dict[str, list[Edit]] = {
        name: [] for name in ("agreed", "through", "contrary", "gone", "absent")
    }
    for edit in plan.edits:
        sorted_out[_fate(edit, later)].append(edit)
    found, missed = _moved(earlier, plan, later)
    return Agreement(
        **{name: tuple(edits) for name, edits in sorted_out.items()},
        found=found,
        missed=missed,
        borrowed=frozenset(site.id for site in _sites(earlier) if site.access.root == "chain"),
    )


def _sites(subject: Subject) -> Iterable[PlanSite]:
    return sites_of(subject.facts, subject.pack, subject.engine)


def _planned(root: Path, cache: Path | None) -> tuple[Subject, Plan]:
    if not root.is_dir():
        raise SystemExit(f"there is no {root}: make sglang VERSION={root.parent.name}, or set RATCHET_TREES")
    with open_sessions(Options(root=root, no_cache=cache is None, cache_dir=cache)) as sessions:
        migration = plan_migration(sessions[0], Request(everything=True, writes=True))
        return subject_of(migration.tree, scan_tree(sessions[0], migration.tree)), migration.plan


def _fate(edit: Edit, later: Later) -> str:
    key = Key(edit.path, edit.scope, edit.field, edit.operation == "write")
    if not later.defines(edit.path, edit.scope):
        return "absent"
    if later.published[key]:
        return "agreed"
    if later.record[key]:
        return "contrary"
    return "through" if later.reads_through(key) else "gone"


def _moved(
    earlier: Subject, plan: Plan, later: Later
) -> tuple[tuple[PlanSite, ...], tuple[tuple[PlanSite, Skip], ...]]:
    """The direct reads of the earlier release that the later one has moved: planned, and missed.

    A read counts where its function has gained reads of the field off the namespace and lost those of the
    record; where some of several stayed, nobody can say which of them moved.
    """
    before = Later(earlier).published
    reads: dict[Key, list[PlanSite]] = {}
    for site in _sites(earlier):
        if site.access.operation == "read" and site.access.field:
            key = Key(site.path, site.access.scope, site.access.field, False)
            reads.setdefault(key, []).append(site)
    planned = {edit.id for edit in plan.edits}
    skips = {skip.id: skip for skip in plan.skips}
    moved = [
        site
        for key, sites in reads.items()
        if later.published[key] > before[key] and not later.record[key]
        for site in sites
        if site.access.root in ("accessor", "self") or site.access.origin == "global"
    ]
    return (
        tuple(site for site in moved if site.id in planned),
        tuple((site, skips[site.id]) for site in moved if site.id not in planned),
    )


# The page


def render(found: Agreement) -> str:
    """The page: the figures, then every disagreement under its cause."""
    there = [found.agreed, found.through, found.contrary, found.gone]
    parts = [
        "# Agreement with the maintainers",
        "Made by `python benchmarks/agreement/measure.py`. `ratchet migrate --all --writes` is planned on "
        f"{EARLIER}, before most reads moved, and looked up in {LATER}, in which the maintainers had moved "
        "them by hand.",
        _figures(found, sum(map(len, there))),
        "## Edits that the later release contradicts",
        "Its function still touches the field on the record.",
        *_grouped(found.contrary, lambda edit: _cause(edit, found.borrowed)),
        "## Edits whose read or write is gone",
        "The function is there, but touches the field on neither store any more: the code was changed "
        "otherwise, so that it says nothing of the edit.",
        *_grouped(found.gone, lambda edit: f"{edit.namespace}.{edit.field}"),
        "## Reads that moved and stay in the plan",
        *_grouped(found.missed, lambda item: _why(item[1])),
    ]
    return "\n\n".join(parts) + "\n"


def _figures(found: Agreement, there: int) -> str:
    rows = [
        ("edits", there + len(found.absent)),
        (f"their function is still in {LATER}", there),
        ("there it uses the namespace", len(found.agreed)),
        ("there it uses a helper that uses the namespace", len(found.through)),
        ("there it uses the record", len(found.contrary)),
        ("there it uses neither", len(found.gone)),
        ("**precision** of the edits that the later release speaks of", f"**{found.precision:.3f}**"),
        ("precision if those that use neither are counted as wrong", f"{found.strict_precision:.3f}"),
        ("direct reads that moved", len(found.found) + len(found.missed)),
        ("of these planned", len(found.found)),
        ("**recall**", f"**{found.recall:.3f}**"),
    ]
    return "\n".join(["| | |", "|---|---:|", *(f"| {name} | {value} |" for name, value in rows)])


def _cause(edit: Edit, borrowed: frozenset[str]) -> str:
    if edit.operation == "write":
        return "a write that the maintainers left on the record"
    if edit.id in borrowed:
        return "borrowed off another object: the rules move it with its field's writes"
    if edit.before.startswith("self."):
        return "read off `self`; the maintainers left it"
    return "an alias of the process's record; the maintainers left it"


def _why(skip: Skip) -> str:
    if skip.reason == "owner-elsewhere":
        return f"owner-elsewhere: {skip.field}: {skip.detail}"
    return f"{skip.reason}: {skip.detail}"


def _grouped(items: Sequence[object], cause: Callable[..., str]) -> Iterator[str]:
    """The items under their causes, the commonest cause first."""
    counts = Counter(cause(item) for item in items)
    for name, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        lines = sorted(_shown(item) for item in items if cause(item) == name)
        yield "\n".join([f"**{name}** ({count})", "", *lines])


def _shown(item: object) -> str:
    if isinstance(item, tuple):
        item = item[1]
    assert isinstance(item, Edit | Skip)
    return f"- `{item.path}:{item.span.line}` `{item.before}` in `{item.scope}`"


def main(arguments: Iterable[str] = ()) -> None:
    """Measure, and write the page."""
    trees = Path(next(iter(arguments), os.environ.get("RATCHET_TREES", ".cache/sglang")))
    found = measure(trees)
    PAGE.write_text(render(found), encoding="utf-8")
    print(f"precision {found.precision:.3f}, strict {found.strict_precision:.3f}, recall {found.recall:.3f}")


if __name__ == "__main__":
    main(sys.argv[1:])
