"""The three-way merge of baselines, as multisets of site identities; no number is ever edited by hand.

An identity that one side alone changed takes that side's count, and one that both changed alike takes
theirs: that is what git's own merge does with equal lines, so that a result does not depend on whether the
driver ran. Two branches that each remove one of two identical twins therefore merge to one row more than
there are sites, a stale row that `check` reports and `tighten` removes; the other answer would be too low
wherever both removed the same twin, and blame somebody who added nothing. An identity that both changed
differently gets both changes: ours + theirs - base, never below zero. So 39 → 38 beside 39 → 35 is 34,
whichever way round.
"""

from __future__ import annotations

from pathlib import Path

from ratchet.baseline.format import dump, parse
from ratchet.baseline.rows import Key, counts_of, joined_reasons, sorted_rows
from ratchet.errors import JudgeError
from ratchet.escape import display_path
from ratchet.model import Baseline


def merge(base: Baseline | None, ours: Baseline, theirs: Baseline) -> Baseline:
    """Both sides' changes since `base` in one baseline, the same whichever side is ours.

    Without a base (both sides adopted the rule) each identity keeps the higher count: what is too high is
    stale, and `tighten` lowers it. Raises JudgeError where the sides were adopted for different versions of
    the rule.
    """
    if ours.fingerprint != theirs.fingerprint:
        raise JudgeError(
            f"the two sides of the baseline of {ours.rule} were adopted for different versions of the rule:"
            " merge the rule first, take either side of the file (`git checkout --ours` or `--theirs`),"
            f" then run `ratchet adopt {ours.rule} --reason WHY`"
        )
    our, their = counts_of(ours), counts_of(theirs)
    common = counts_of(base) if base else our & their
    counts = {key: _three_way(common[key], our[key], their[key]) for key in our | their}
    reasons = _reasons(base, ours, theirs)
    return Baseline(
        ours.rule,
        ours.fingerprint,
        sorted_rows({key: count for key, count in counts.items() if count > 0}, reasons),
    )


def drive(base: Path, ours: Path, theirs: Path, path: str) -> str | None:
    """What git asks of a merge driver: merge three versions of the baseline at `path` into the file `ours`.

    Gives back None, or the sentence why they cannot be merged; then `ours` holds both sides between conflict
    markers, which `check` refuses, so that no half of a merge passes for the whole.
    """
    from ratchet.atomic import write_file

    data = [file.read_bytes() for file in (base, ours, theirs)]
    try:
        merged = merge_texts(*data, path=path)
    except JudgeError as error:
        write_file(ours, _conflict(data[1], data[2]))
        return str(error)
    write_file(ours, merged)
    return None


def merge_texts(base: bytes | None, ours: bytes, theirs: bytes, *, path: str) -> bytes:
    """The merged text of three versions of the baseline at `path`; a base that never was is None or empty."""
    rule = Path(path).name.removesuffix(".tsv")
    merged = merge(
        _side(base, rule, path, "the merge base") if base else None,
        _side(ours, rule, path, "our side"),
        _side(theirs, rule, path, "their side"),
    )
    return dump(merged).encode("utf-8")


def _side(data: bytes, rule: str, path: str, side: str) -> Baseline:
    try:
        return parse(data, rule, display_path(path))
    except JudgeError as error:
        raise JudgeError(f"{side} cannot be merged: {error}") from error


def _three_way(base: int, ours: int, theirs: int) -> int:
    return ours if ours == theirs else ours + theirs - base


def _reasons(base: Baseline | None, ours: Baseline, theirs: Baseline) -> dict[Key, str]:
    old = {row.key: row.reason for row in base.rows} if base else {}
    our = {row.key: row.reason for row in ours.rows}
    their = {row.key: row.reason for row in theirs.rows}
    merged: dict[Key, str] = {}
    for key in our.keys() | their.keys():
        before = old.get(key, "")
        # A side that removed the row has no opinion on its reason.
        one, other = sorted((our.get(key, before), their.get(key, before)))
        if one == before:
            merged[key] = other
        elif other == before:
            merged[key] = one
        else:
            merged[key] = joined_reasons(one, other)
    return merged


def _conflict(ours: bytes, theirs: bytes) -> bytes:
    return b"<<<<<<< ours\n" + _ended(ours) + b"=======\n" + _ended(theirs) + b">>>>>>> theirs\n"


def _ended(text: bytes) -> bytes:
    return text if not text or text.endswith(b"\n") else text + b"\n"
