"""A prepared migration written: sources and tightened baselines in one step, and the tree counted again."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from ratchet.baseline import operations
from ratchet.baseline.format import dump
from ratchet.baseline.store import Baselines, baseline_path, read_baseline
from ratchet.cache import default_folder
from ratchet.checking.arrivals import (
    allowed,
    arrivals,
    as_they_stand,
    changes_between,
    told,
    unexpected,
)
from ratchet.checking.preparing import Prepared
from ratchet.checking.rewriting import tree_after
from ratchet.codemod.apply import Applied, Change, Step, apply_changes, commit, refuse_staged, resume, undo
from ratchet.codemod.journal import journal_folder
from ratchet.codemod.prediction import Change as Count
from ratchet.errors import JudgeError, UsageError
from ratchet.frozen import dataclass
from ratchet.model import Baseline, Census, Site, Verdict
from ratchet.session import Session
from ratchet.source import git
from ratchet.source.blob import blob_id
from ratchet.source.overlay import Overlay
from ratchet.tally import Tally, remember_as
from ratchet.verdict import judge
from ratchet.wording import plural


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: files by absolute path, how the counts of rules changed, what is to be known.

    `refused` are files that somebody changed in the meantime: those were left alone. `new` are the sites
    that rules count now and did not count before; where `held`, nothing was written for their sake.
    """

    files: tuple[Path, ...]
    counts: tuple[Count, ...]
    notes: tuple[str, ...] = ()
    refused: tuple[Path, ...] = ()
    new: tuple[Site, ...] = ()
    held: bool = False


def _silent(_step: str) -> None:
    return


def write(
    session: Session,
    prepared: Prepared,
    allow_dirty: bool = False,
    step: Step = _silent,
    allow_new: str | None = None,
    message: Callable[[tuple[Count, ...]], str] | None = None,
) -> Written:
    """Write the files of a prepared plan, and with them the baselines of the rules whose sites are gone.

    Where `ratchet check` would fail on sites that are none yet, nothing is written, unless `allow_new` says
    why: then they stand in the baselines with that reason. Where `commit_write` is to follow, `message` makes
    its message out of how the counts change.

    Raises UsageError for a repository with changes of its own (unless `allow_dirty`), and for an earlier run
    that was interrupted; JudgeError where the rewritten tree does not count as the plan predicted (nothing
    is written), where a file changed or cannot be written, and where the written tree counts otherwise.
    """
    if not prepared.files:
        return Written((), ())
    if not allow_dirty:
        refuse_dirty(session)
        _refuse_unknown(session, prepared)
    tree = prepared.migration.tree
    before = session.count(tree)
    rewritten = tree_after(session, prepared.migration, prepared.files)
    after = session.count(rewritten)
    counts = changes_between(before.counts, after.counts)
    _compare(prepared, counts)
    verdict = _verdict(session, after)
    new = arrivals(session.rules, before, after)
    failing = unexpected(verdict, new)
    if _is_held(session, failing, allow_new):
        note = _refusal(as_they_stand(failing, prepared.files))
        return Written((), counts, (note,), new=as_they_stand(new, prepared.files), held=True)
    changes, notes = _tightened(session, verdict, failing, allow_new or "")
    changes |= {Path(tree.root, file.path): Change(file.old, file.new) for file in prepared.files}
    words = message(counts) if message is not None else None
    done = apply_changes(changes, journal_of(session), step, base=session.place.repository, message=words)
    if not done.refused:
        _recount(session, after, [file.path for file in prepared.files])
        remember_as(rewritten, tree.root, session.cache)
    return Written(done.replaced, counts, notes, done.refused, new)


def commit_write(session: Session, step: Step = _silent) -> str:
    """Commit what was written, and nothing else; return the commit's id. JudgeError where git refuses."""
    assert session.place.repository is not None
    return commit(journal_of(session), session.place.repository, step)


def resume_write(session: Session, step: Step = _silent) -> Applied:
    """Finish a run that was interrupted, baselines and commit included. UsageError where there was none."""
    return resume(journal_of(session), step, base=session.place.repository)


def undo_write(session: Session, step: Step = _silent) -> Applied:
    """Put back what the last run replaced, baselines included. Raises UsageError where there was none."""
    return undo(journal_of(session), step, base=session.place.repository)


def refuse_pending(session: Session) -> None:
    """Raise UsageError where an earlier run was interrupted: the tree is a mixture, and says nothing."""
    refuse_staged(journal_of(session), base=session.place.repository)


def refuse_unjudged(census: Census, why: str) -> None:
    """Raise JudgeError where a file could not be judged, which `why` makes a reason to write nothing."""
    if census.problems:
        problem = census.problems[0]
        raise JudgeError(
            f"{problem.path}:{problem.line}: {problem.message}: it {why}, so"
            " nothing was written; mend it, or exclude it in the configuration"
        )
    if census.found_nothing:
        raise JudgeError("no file was found, so nothing was written; name the tree with --root")


def refuse_dirty(session: Session) -> None:
    """Raise UsageError where the repository of the tree has changes that are not committed."""
    repository = session.place.repository
    dirty = git.changed_files(repository) if repository is not None else ()
    if dirty:
        more = f" and {len(dirty) - 1} more" if len(dirty) > 1 else ""
        raise UsageError(
            f"the repository has changes that are not committed ({dirty[0]}{more}), and nothing was written;"
            " commit them, or pass --allow-dirty"
        )


def _refuse_unknown(session: Session, prepared: Prepared) -> None:
    """Raise UsageError where git has no copy of a source that would be rewritten."""
    repository, root = session.place.repository, prepared.migration.tree.root
    if repository is None:
        return
    files = [Path(os.path.realpath(Path(root, file.path))) for file in prepared.files]
    unknown = git.unknown_files(repository, files)
    if unknown:
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        raise UsageError(
            f"git does not follow {unknown[0]}{more}, and nothing was written; commit what is to be"
            " rewritten, or pass --allow-dirty"
        )


def journal_of(session: Session) -> Path:
    """Return the folder of the journal; in a cache, which trees share, one a tree. It is kept."""
    place = session.place
    folder = journal_folder(place.repository, place.cache_dir or default_folder())
    return folder if place.repository is not None else folder / blob_id(os.fsencode(place.root))[:16]


# Counts: what the plan predicted, what the new texts say, what is on disk in the end


def _compare(prepared: Prepared, counts: tuple[Count, ...]) -> None:
    """Refuse where the new texts do not count as the plan said, rule by rule.

    A parameter that goes takes arguments along which the plan of accesses does not count.
    """
    tree = prepared.migration.tree
    kinds = {rule.id: rule.kind for rule in tree.rules}
    told = {count.rule: count for count in counts if kinds[count.rule] == "access"}
    planned = {c.rule: c for c in prepared.migration.baseline if kinds[c.rule] == "access"}
    for rule in sorted({*told, *planned}):
        said, found = planned.get(rule), told.get(rule)
        if said == found:
            continue
        fewer = found is not None and (said is None or found.after < said.after)
        if fewer and prepared.migration.selection.parameters:
            continue
        raise JudgeError(
            f"the rule {rule} was to go {_told(said)}, and the rewritten files make it {_told(found)};"
            " nothing was written: please report it"
        )


def _told(count: Count | None) -> str:
    return f"{count.before} → {count.after}" if count else "unchanged"


def _recount(session: Session, expected: Tally, written: Iterable[str]) -> None:
    source = session.work_tree()
    # What was just written is read again; of the other files their stamps tell that they are as they were.
    read = {path: data for path in written if isinstance(data := source.read(path), bytes)}
    found = session.count(session.tree(Overlay(source, read)))
    for rule, sites in expected.sites.items():
        if _keys(found.sites.get(rule, ())) != _keys(sites):
            counted = plural(len(found.sites.get(rule, ())), "site")
            raise JudgeError(
                f"the written tree has {counted} of the rule {rule}, not the {len(sites)}"
                " that were predicted, as if it changed meanwhile; run `ratchet check`, or"
                " `ratchet migrate --undo` to take it back"
            )


def _keys(sites: tuple[Site, ...]) -> Counter[tuple[str, str, str]]:
    return Counter(site.key for site in sites)


# Baselines


def _known(session: Session) -> dict[str, Baseline]:
    """The baselines that there are, by rule."""
    folder = session.place.baselines
    return {rule.id: found for rule in session.rules if (found := read_baseline(folder, rule))}


def _verdict(session: Session, after: Tally) -> Verdict:
    """What `ratchet check` will say of the rewritten tree while the baselines are as they are."""
    return judge(
        session.rules,
        after.sites,
        Baselines(session.place.baselines, _known(session)),
        after.census,
        skipped=after.skipped,
        faults=after.faults,
    )


def _is_held(session: Session, failing: Sequence[Site], allow_new: str | None) -> bool:
    """Whether sites keep a migration from being written; those of a ban cannot be allowed."""
    bans = {rule.id for rule in session.rules if rule.mode == "ban"}
    return bool(failing) and (allow_new is None or any(site.rule in bans for site in failing))


def _refusal(failing: Sequence[Site]) -> str:
    return (
        f"nothing was written: `ratchet check` would fail on new sites, {'; '.join(told(failing))}; move less"
        " (--namespace, --field), move the rest too (--writes, --parameters), or take them into the baselines"
        ' with --allow-new "REASON"'
    )


def _tightened(
    session: Session, verdict: Verdict, allowing: Sequence[Site], reason: str
) -> tuple[dict[Path, Change], tuple[str, ...]]:
    """The files of baselines that are lowered, with the sites that are allowed; and what keeps others from
    it."""
    known = _known(session)
    files: dict[Path, Change] = {}
    for entry in verdict.rules:
        rule = entry.rule
        if rule.id in known and rule.mode != "ban" and entry.skipped is None:
            old = known[rule.id]
            new = allowed(operations.tighten(old, entry).new, entry, allowing, reason)
            if new != old:
                files.update(_files(session.place.baselines, old, new))
    notes = [f"`ratchet check` will say: {fault}" for fault in verdict.faults]
    passed = Counter(site.rule for site in allowing)
    for entry in verdict.rules:
        left = len(entry.new) - passed[entry.rule.id]
        if entry.rule.id in known and entry.rule.mode != "warn" and left:
            notes.append(f"{plural(left, 'site')} of the rule {entry.rule.id} not in its baseline")
    return files, tuple(notes)


def _files(folder: Path, old: Baseline | None, new: Baseline) -> Mapping[Path, Change]:
    """The files of a baseline that changes: under a former name of its rule, that file goes."""
    place = baseline_path(folder, new.rule)
    data = dump(new).encode("utf-8")
    if old is None or old.rule == new.rule:
        return {place: Change(place.read_bytes(), data)}
    former = baseline_path(folder, old.rule)
    return {place: Change(None, data), former: Change(former.read_bytes(), None)}
