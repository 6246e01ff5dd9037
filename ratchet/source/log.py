"""The commits of a branch, newest first, each with the files that it changed.

A merge counts as one commit, against its first parent: what a branch holds is what its merges brought, not
the steps that led there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ratchet.errors import JudgeError
from ratchet.escape import display_path
from ratchet.frozen import dataclass
from ratchet.source import git

_FORMAT = "--format=%x02%H%x1f%P%x1f%aN%x1f%cI%x1f%s"
_START = b"\x02"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its id, who wrote it, when it was committed (ISO 8601 with the zone), its subject line."""

    id: str
    author: str
    date: str
    subject: str


@dataclass(frozen=True, slots=True)
class Changed:
    """A file that a commit changed, by its path from the repository's top; without one now, `blob` is None.

    `modes` are git's before and now, `000000` where there is none.
    """

    path: str
    modes: tuple[str, str]
    blob: str | None


@dataclass(frozen=True, slots=True)
class Logged:
    """A commit with its parents, and the files that it changed against the first of them."""

    commit: Commit
    parents: tuple[str, ...]
    changed: tuple[Changed, ...]


def require_whole(repo: Path) -> None:
    """Raise a JudgeError where the history is cut off: what lies before the cut would be missing unseen."""
    if git.is_shallow(repo):
        raise JudgeError(
            f"{display_path(str(repo))} is a shallow clone, whose history is cut off:"
            " run `git fetch --unshallow`, in CI check out with all commits (fetch-depth: 0)"
        )


def first_parents(repo: Path, rev: str) -> tuple[str, ...]:
    """Return the ids of a commit and of its first parents, newest first; `rev` may be a range."""
    return tuple(git.ask(repo, "rev-list", "--first-parent", "--end-of-options", rev, "--").decode().split())


def log(repo: Path, rev: str, below: Sequence[str] = (), *, limit: int | None = None) -> tuple[Logged, ...]:
    """Return the commits from `rev` back along first parents that changed a file below the folders `below`.

    Without folders these are all commits; `limit` is how many at most. Renames are not looked for: a file
    that moved is one that is gone and one that is new.
    """
    command = ["log", "-z", "--first-parent", "-m", "--raw", "--no-abbrev", "--no-renames", "--no-color"]
    command += [
        "--root",
        "--no-show-signature",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=none",
        _FORMAT,
    ]
    command += [f"--max-count={limit}"] if limit is not None else []
    output = git.ask(repo, *command, "--end-of-options", rev, "--", *(f"{folder}/" for folder in below))
    return tuple(_logged(output.split(b"\0")))


def _logged(tokens: list[bytes]) -> Iterator[Logged]:
    """The commits of git's output: a header each, then a line of modes and ids, and a path, a file."""
    head: list[str] | None = None
    changed: list[Changed] = []
    at = 0
    while at < len(tokens):
        token = tokens[at].lstrip(b"\n")
        if token.startswith(_START):
            if head is not None:
                yield _commit(head, changed)
            head, changed = token[1:].decode("utf-8", "replace").split("\x1f", 4), []
        elif token.startswith(b":"):
            at += 1
            changed.append(_changed(token, tokens[at]))
        at += 1
    if head is not None:
        yield _commit(head, changed)


def _commit(head: list[str], changed: list[Changed]) -> Logged:
    id, parents, author, date, subject = head
    return Logged(Commit(id, author, date, subject), tuple(parents.split()), tuple(changed))


def _changed(line: bytes, path: bytes) -> Changed:
    before, now, _, blob, status = line.decode("ascii")[1:].split(" ")
    name = path.decode("utf-8", "surrogateescape")
    return Changed(name, (before, now), None if status == "D" else blob)
