"""What a report needs beside the verdict, and what all formats share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from ratchet.escape import display_path as inert
from ratchet.frozen import dataclass
from ratchet.model import Census, RuleVerdict, Site, Verdict
from ratchet.wording import plural

State = Literal["new", "known", "moved"]

_MIGRATE_OPTIONS = {"writes": " --writes", "chains": " --chains", "parameters": " --parameters"}


def from_root(path: str) -> str:
    """A path as it stands in a report that is read at the source root."""
    return path


def no_source(path: str, line: int) -> str | None:
    """The source of a report that shows none."""
    return None


@dataclass(frozen=True, slots=True)
class Context:
    """How a verdict is shown.

    `verb` is the command that ran; `elapsed` its seconds, None to leave them out; `source_line` gives a line
    of a file (path relative to the source root, line from 1) or None; `prefix` is the source root relative to
    the repository; `place` gives such a path as the reader of a terminal can use it; `color` and `width` (in
    characters) are the terminal's; `version` is the tool's. `committed` says whether the sites are compared
    with committed baselines, and not with those of another tree: then the baselines may have what went.
    """

    verb: str = "check"
    elapsed: float | None = None
    source_line: Callable[[str, int], str | None] = no_source
    prefix: str = ""
    place: Callable[[str], str] = from_root
    color: bool = False
    width: int = 100
    version: str = ""
    committed: bool = True

    def in_repository(self, path: str) -> str:
        """A path relative to the source root, made relative to the repository."""
        prefix = self.prefix.strip("/")
        return f"{prefix}/{path}" if prefix not in ("", ".") else path


def one_line(text: str) -> str:
    """Prose of a rule on one line, inert."""
    return inert(" ".join(text.split()))


def count_gone(entry: RuleVerdict) -> int:
    """How many sites of the baseline are missing (a row may stand for several)."""
    return sum(row.count for row in entry.gone)


def changes(*entries: RuleVerdict) -> list[str]:
    """What differs from the baseline, counted in words; empty where nothing does."""
    new = sum(len(entry.new) for entry in entries)
    gone = sum(map(count_gone, entries))
    moved = sum(len(entry.moved) for entry in entries)
    counts = ((new, "new site"), (gone, "gone site"), (moved, "moved site"))
    return [plural(count, word) for count, word in counts if count]


def count_unjudged(census: Census) -> int:
    """How many files have a problem."""
    return len({problem.path for problem in census.problems})


def files_seen(census: Census) -> str:
    """How many files the run discovered, analysed, judged by their bytes, and could not judge."""
    ignored = (
        f", {plural(census.ignored, 'argument')} ignored, no Python in the root" if census.ignored else ""
    )
    return (
        f"{plural(census.discovered, 'file')} discovered, {census.analysed:,} analysed, "
        f"{census.judged_by_bytes:,} judged by their bytes, {count_unjudged(census):,} not judged"
        f"{ignored}{'' if census.complete else ' (part of the tree)'}"
    )


def states(entry: RuleVerdict) -> Callable[[Site], State | None]:
    """What a site of this rule is against the baseline; None for each where there is no baseline.

    Few sites are new or moved, so only those in the same files are compared whole.
    """
    if entry.baseline is None:
        return lambda site: None
    new = frozenset(entry.new)
    moved = frozenset(move.site for move in entry.moved)
    if not new and not moved:
        return lambda site: "known"
    touched = frozenset(site.path for site in new | moved)

    def state(site: Site) -> State:
        if site.path not in touched:
            return "known"
        return "new" if site in new else "moved" if site in moved else "known"

    return state


def rewrite_command(entry: RuleVerdict, sites: Iterable[Site]) -> str | None:
    """The `ratchet migrate` command that plans the rewrite of these sites; None without a codemod."""
    codemod = entry.rule.codemod
    if entry.rule.own_codemod is not None:
        return f"ratchet migrate --rule {entry.rule.id}"
    if codemod is None:
        return None
    spaces = sorted({site.namespace for site in sites if site.namespace})
    which = "".join(f" --namespace {space}" for space in spaces) or " --all"
    return f"ratchet migrate{which}{_MIGRATE_OPTIONS.get(codemod, '')}"


def outcome(verdict: Verdict) -> str:
    """The run in a sentence: what keeps it from being clean, or that it is clean."""
    found = changes(*verdict.rules)
    if verdict.exit_code == 3:
        return "could not judge: " + ", ".join(_unjudged(verdict) + found)
    if verdict.exit_code == 1:
        return "failed: " + ", ".join(found)
    if all(entry.baseline is None for entry in verdict.rules):
        return plural(sum(entry.count for entry in verdict.rules), "site")
    one = len(found) == 1 and found[0].startswith("1 ")
    return "clean" + (f" ({', '.join(found)}, which {'does' if one else 'do'} not fail)" if found else "")


def _unjudged(verdict: Verdict) -> list[str]:
    census = verdict.census
    reasons = [plural(len(census.problems), "problem")] if census.problems else []
    if verdict.faults:
        reasons.append(plural(len(verdict.faults), "fault"))
    if census.found_nothing:
        reasons.append(f"no Python file was found under {inert(verdict.root) or 'the root'}")
    return reasons
