"""Everything that is asked of git, always of the repository that holds the tree, whoever started the run.

Git is called with a list and without a shell, in the C locale, with paths ended by NUL. Inside of a hook
git tells its children through the environment which repository they are in; that is not always the one of
the tree (a submodule, a second tree), so those variables are dropped, but for the index that the commit is
made from.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ratchet.errors import JudgeError
from ratchet.escape import display_path
from ratchet.frozen import dataclass

if TYPE_CHECKING:
    import subprocess

LINK, SUBMODULE = "120000", "160000"
"""Modes of what is no file: a symbolic link, and the commit of a submodule."""

# What ties a call to a repository; everything else (configuration, tracing, askpass) is the user's and stays.
_TIES = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)
_SETTINGS = {
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_UNSHALLOW = "`git fetch --unshallow`"
_HINTS = {
    "dubious ownership": "if you trust it, run `git config --global --add safe.directory {repo}`",
    "index file corrupt": "run `rm .git/index && git reset` there",
    ".lock': File exists": "wait until git ends there; if none runs, remove that file",
}


@dataclass(frozen=True, slots=True)
class Item:
    """A file in a commit or in the index: its path from the repository's top, mode, blob id and stage."""

    path: str
    mode: str
    blob: str
    stage: int = 0


def repository_of(folder: Path) -> Path | None:
    """Return the top of the work tree that holds `folder`, links resolved, or None. Git is not asked."""
    real = folder.resolve()
    return next((place for place in (real, *real.parents) if git_folder(place)), None)


def relative_prefix(repo: Path, root: Path) -> str:
    """Return where `root` lies in the repository, with forward slashes; the empty string for its top."""
    try:
        return "" if root.resolve() == repo else root.resolve().relative_to(repo).as_posix()
    except ValueError as error:
        place = display_path(str(root))
        raise JudgeError(f"{place}: lies outside of the repository {display_path(str(repo))}") from error


def head_of(repo: Path) -> str | None:
    """Return the id of the commit that is checked out, or None before the first one."""
    return commit_of(repo, "HEAD")


def commit_of(repo: Path, rev: str) -> str | None:
    """Return the id of the commit that `rev` names, or None."""
    done = _run(repo, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}")
    return done.stdout.decode("ascii").strip() if done.returncode == 0 else None


def blob_of(repo: Path, rev: str, path: str) -> str | None:
    """Return the id of a file's content in a commit, None where there is no such file."""
    done = _run(repo, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}:{path}")
    return done.stdout.decode("ascii").strip() if done.returncode == 0 else None


def require_commit(repo: Path, rev: str) -> str:
    """Return the id of the commit that `rev` names; a JudgeError says how to get one that is missing."""
    found = commit_of(repo, rev)
    if found is None:
        advice = _UNSHALLOW if is_shallow(repo) else _fetch(repo, rev)
        raise JudgeError(f"there is no commit `{rev}` in {display_path(str(repo))}; run {advice}")
    return found


def merge_base(repo: Path, ref: str) -> str:
    """Return the id of the commit in which the branch that is checked out left `ref`.

    A missing ref, a history that is cut off before that commit and unrelated histories are JudgeErrors.
    """
    other = require_commit(repo, ref)
    head = head_of(repo)
    if head is None:
        raise JudgeError(f"{display_path(str(repo))} has no commit yet, so nothing to compare with `{ref}`")
    done = _run(repo, "merge-base", other, head)
    if done.returncode == 0:
        return done.stdout.decode("ascii").split()[0]
    if done.returncode != 1:
        raise _failure(repo, "merge-base", done)
    if is_shallow(repo):
        raise JudgeError(
            f"this clone is too shallow to show where HEAD left `{ref}`; run `git fetch --unshallow`"
        )
    raise JudgeError(f"HEAD and `{ref}` have no commit in common; name a ref of the same history")


def is_shallow(repo: Path) -> bool:
    """Return whether the repository's history is cut off."""
    return ask(repo, "rev-parse", "--is-shallow-repository").strip() == b"true"


def tree_items(repo: Path, rev: str, prefix: str = "") -> list[Item]:
    """Return the files of a commit or tree below `prefix` (all of them where it is empty)."""
    output = ask(repo, "ls-tree", "-r", "-z", "--full-tree", rev, *_below(prefix))
    return [_tree_item(record) for record in _records(output)]


def index_items(repo: Path, prefix: str = "") -> list[Item]:
    """Return the files of the index below `prefix`; a file that is not merged is there once a stage."""
    output = ask(repo, "ls-files", "-s", "-z", "--full-name", *_below(prefix))
    return [_index_item(record) for record in _records(output)]


def not_checked_out(repo: Path, prefix: str = "") -> tuple[str, ...]:
    """Return the Python files below `prefix` that a sparse checkout keeps off the disk, relative to it.

    They are there for everyone else, so that a run over the whole tree must not take them for deleted.
    """
    folder = git_folder(repo)
    if folder is None or not (folder / "info/sparse-checkout").exists():
        return ()
    start = len(prefix) + 1 if prefix else 0
    output = ask(repo, "ls-files", "-t", "-z", "--full-name", *_below(prefix))
    paths = [_text(record[2:]) for record in _records(output) if record.startswith(b"S ")]
    return tuple(sorted(path[start:] for path in paths if path.endswith(".py")))


def renames(
    repo: Path, old: str, new: str | None = None, prefix: str = "", staged: bool = False
) -> dict[str, str]:
    """Return the files that git takes for renamed between `old` and `new`: the old path by the new one.

    Without `new`, the work tree or (`staged`) the index is compared; git does not see untracked files there.
    Paths are relative to `prefix`; a file that came from outside of it is not listed.
    """
    command = ["diff", "--name-status", "-z", "-M50%", "-l10000", "--diff-filter=R"]
    command += ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"]
    command += ["--cached"] * staged + ([f"--relative={prefix}/"] if prefix else ["--no-relative"])
    fields = _records(ask(repo, *command, old, *([new] if new else []), "--"))
    return {_text(fields[at + 2]): _text(fields[at + 1]) for at in range(0, len(fields) - 2, 3)}


def changed_files(repo: Path) -> tuple[str, ...]:
    """Return the files that git follows and that differ from the commit, on disk or in the index."""
    told = ask(repo, "status", "--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=all")
    return tuple(_text(record[3:]) for record in _records(told) if record[2:3] == b" ")


def commit_files(repo: Path, files: Sequence[Path], message: str) -> str:
    """Commit these files as they are on disk, and nothing else; return the id of the commit that holds them.

    Of files that git ignores, or that are gone and were never known to it, there is nothing to commit.
    Hooks run as they do for anyone; where one refuses, a JudgeError says so, the files stay as they are, and
    the index holds nothing of them: what is taken back then cannot be committed by mistake.
    """
    unstage_files(repo, files)  # a file that is gone from the index too could not be added
    paths = uncommitted_files(repo, files)
    if not paths:
        return head_of(repo) or ""
    try:
        ask(repo, "add", "--all", "--", *paths)
        ask(repo, "commit", "--quiet", "--only", "-m", message, "--", *paths)
    except JudgeError:
        _run(repo, "reset", "--quiet", "--", *paths)
        raise
    return head_of(repo) or ""


def uncommitted_files(repo: Path, files: Sequence[Path]) -> tuple[str, ...]:
    """Return which of these files differ from the commit, on disk or in the index, from the top."""
    paths = _paths(repo, files)
    command = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--")
    told = ask(repo, *command, *paths) if paths else b""
    return tuple(_text(record[3:]) for record in _records(told))


def unstage_files(repo: Path, files: Sequence[Path]) -> None:
    """Let the index hold these files as the commit does. JudgeError where it is locked."""
    if paths := _paths(repo, files):
        ask(repo, "reset", "--quiet", "--", *paths)


def unknown_files(repo: Path, files: Sequence[Path]) -> tuple[str, ...]:
    """Return which of these files git does not follow, from the repository's top; of those outside, none."""
    paths = _paths(repo, files)
    told = ask(repo, "ls-files", "-z", "--full-name", "--", *paths) if paths else b""
    known = {_text(record) for record in _records(told)}
    return tuple(sorted({*paths} - known))


def start_reader(repo: Path) -> subprocess.Popen[bytes]:
    """Start the process that serves objects: ids in, one a line; a header line, content and newline out."""
    import subprocess

    try:
        return subprocess.Popen(
            ["git", "cat-file", "--batch"],
            cwd=repo,
            env=_environment(repo),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        raise _missing(error) from error


def git_folder(place: Path) -> Path | None:
    """Return the folder in which git keeps what it knows of the work tree at `place`, or None."""
    mark = place / ".git"
    if mark.is_file():  # a linked work tree or a submodule
        text = mark.read_bytes().decode("utf-8", "surrogateescape")
        return (place / text[7:].strip()).resolve() if text.startswith("gitdir:") else None
    return mark if (mark / "HEAD").exists() else None


def _environment(repo: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _TIES}
    index = os.environ.get("GIT_INDEX_FILE")
    if index and _is_index_of(repo, Path(index).absolute()):
        kept["GIT_INDEX_FILE"] = str(Path(index).absolute())
    return kept | _SETTINGS


def _is_index_of(repo: Path, index: Path) -> bool:
    """Whether a hook's index belongs to this repository: it lies with it, or with no repository at all."""
    folder = index.parent.resolve()
    return folder == git_folder(repo) or not (folder / "HEAD").exists()


def _paths(repo: Path, files: Sequence[Path]) -> list[str]:
    """The files that lie in the repository, from its top."""
    return [file.relative_to(repo).as_posix() for file in files if file.is_relative_to(repo)]


def _run(repo: Path, *command: str) -> subprocess.CompletedProcess[bytes]:
    import subprocess

    try:
        process = subprocess.Popen(
            ["git", *command],
            cwd=repo,
            env=_environment(repo),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        raise _missing(error) from error
    with process:
        try:
            out, err = process.communicate()
        except BaseException:
            # `subprocess.run` would kill it, and its locks would stay.
            process.terminate()
            process.wait()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def ask(repo: Path, *command: str) -> bytes:
    """Return what a command of git prints; a failure is a JudgeError with what git said."""
    done = _run(repo, *command)
    if done.returncode:
        raise _failure(repo, command[0], done)
    return done.stdout


def _failure(repo: Path, verb: str, done: subprocess.CompletedProcess[bytes]) -> JudgeError:
    said = done.stderr.decode("utf-8", "replace").strip() or f"it ended with {done.returncode}"
    first = said.splitlines()[0].removeprefix("fatal: ").removeprefix("error: ").rstrip(".")
    place = display_path(str(repo))
    hint = next((text.format(repo=place) for words, text in _HINTS.items() if words in said), "")
    return JudgeError(
        f"`git {verb}` failed in {place}: {display_path(first)}" + (f"; {hint}" if hint else "")
    )


def _missing(error: OSError) -> JudgeError:
    return JudgeError(f"git cannot be started ({(error.strerror or 'error').lower()}); install it")


def _fetch(repo: Path, rev: str) -> str:
    remote, _, branch = rev.partition("/")
    remotes = ask(repo, "remote").decode("utf-8", "replace").split()
    return f"`git fetch {remote} {branch}`" if branch and remote in remotes else "`git fetch --all`"


def _below(prefix: str) -> Sequence[str]:
    return ("--", f"{prefix}/") if prefix else ()


def _records(output: bytes) -> list[bytes]:
    return output.split(b"\0")[:-1]


def _tree_item(record: bytes) -> Item:
    head, _, path = record.partition(b"\t")
    mode, _, blob = head.decode("ascii").split(" ")
    return Item(_text(path), mode, blob)


def _index_item(record: bytes) -> Item:
    head, _, path = record.partition(b"\t")
    mode, blob, stage = head.decode("ascii").split(" ")
    return Item(_text(path), mode, blob, int(stage))


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")
