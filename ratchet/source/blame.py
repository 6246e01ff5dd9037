"""Who changed lines last, as git tells it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from pathlib import Path

from ratchet.frozen import dataclass
from ratchet.source import git
from ratchet.source.log import Commit


@dataclass(frozen=True, slots=True)
class Blamed:
    """A line: the commit that changed it last (None: not committed), and where it stood in that commit.

    `previous` is the commit before and the file's path there; None where the file began with that commit.
    """

    commit: Commit | None
    path: str
    line: int
    previous: tuple[str, str] | None


def blame_lines(repo: Path, rev: str | None, path: str, lines: Iterable[int]) -> dict[int, Blamed]:
    """Return who changed these lines of a file last, in a commit or (None) as the file lies on disk.

    Paths are from the repository's top. White space counts for nothing, and renamed files are followed. A
    file that git does not know is a JudgeError.
    """
    wanted = sorted(set(lines))
    command = ["blame", "--line-porcelain", "-w"]
    command += [part for line in wanted for part in ("-L", f"{line},{line}")]
    output = git.ask(repo, *command, *([rev] if rev else []), "--", path)
    found: dict[int, Blamed] = {}
    head: list[str] = []
    for raw in output.split(b"\n"):
        line = raw.decode("utf-8", "surrogateescape")
        if line.startswith("\t"):
            blamed = _blamed(head)
            found[int(head[0].split()[2])] = blamed
            head = []
        elif line:
            head.append(line)
    return found


def _blamed(head: list[str]) -> Blamed:
    id, line = head[0].split()[:2]
    told = dict(each.partition(" ")[::2] for each in head[1:])
    previous = told.get("previous")
    commit = None
    if id.strip("0"):
        date = _date(int(told["committer-time"]), told["committer-tz"])
        commit = Commit(id, told["author"], date, told.get("summary", ""))
    before = tuple(previous.split(" ", 1)) if previous else None
    return Blamed(commit, told["filename"], int(line), (before[0], before[1]) if before else None)


def _date(seconds: int, zone: str) -> str:
    minutes = int(zone[1:3]) * 60 + int(zone[3:5])
    offset = timedelta(minutes=-minutes if zone.startswith("-") else minutes)
    return datetime.fromtimestamp(seconds, timezone(offset)).isoformat()
