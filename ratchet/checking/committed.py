"""Baselines as git holds them: in the index, or in a commit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from ratchet.baseline.format import parse
from ratchet.baseline.store import SUFFIX, Baselines
from ratchet.errors import JudgeError, UsageError
from ratchet.model import Baseline, Rule
from ratchet.session import Session
from ratchet.source import git
from ratchet.source.objects import BlobReader

ListItems = Callable[[Path, str], list[git.Item]]


def staged_baselines(session: Session, needless: Collection[str]) -> Baselines:
    """The baselines in git's index; those of the rules in `needless` may be missing.

    Baselines that lie outside of the repository are never staged, so they are read where they lie.
    """
    from ratchet.baseline.store import read_baselines

    rules, folder = session.pack.rules, session.place.baselines
    repository = session.place.repository
    if repository is None or not folder.resolve().is_relative_to(repository):
        return read_baselines(folder, rules, needless)
    found = _baselines(repository, folder, rules, git.index_items)
    missing = [
        rule.id for rule in rules if rule.id not in found and rule.id not in needless and rule.mode != "ban"
    ]
    if missing:
        raise UsageError(
            f"no baseline of {', '.join(missing)} is staged: run `ratchet adopt` if there is none yet,"
            f" then `git add {folder}`"
        )
    return Baselines(folder, found)


def baselines_at(session: Session, commit: str, rules: Collection[Rule]) -> Mapping[str, Baseline]:
    """The baselines of a commit by the id of the rule; a rule that had none then is missing."""
    repository, folder = session.place.repository, session.place.baselines
    if repository is None or not folder.resolve().is_relative_to(repository):
        return {}
    return _baselines(repository, folder, rules, lambda repo, below: git.tree_items(repo, commit, below))


def _baselines(
    repository: Path, folder: Path, rules: Collection[Rule], list_items: ListItems
) -> dict[str, Baseline]:
    prefix = git.relative_prefix(repository, folder)
    files = {item.path.rpartition("/")[2]: item for item in list_items(repository, prefix)}
    reader = BlobReader(repository)
    found: dict[str, Baseline] = {}
    try:
        for rule in rules:
            names = [name for name in (rule.id, *rule.formerly) if f"{name}{SUFFIX}" in files]
            if names:
                item = files[f"{names[0]}{SUFFIX}"]
                found[rule.id] = parse(_content(reader, item), names[0], item.path)
    finally:
        reader.close()
    return found


def _content(reader: BlobReader, item: git.Item) -> bytes:
    if item.stage:
        raise JudgeError(f"{item.path} is not merged: run `ratchet tighten`, then `git add {item.path}`")
    data = reader.read(item.blob)
    if data is None:
        raise JudgeError(f"git lacks the content of {item.path} ({item.blob}): run `git fsck`")
    return data
