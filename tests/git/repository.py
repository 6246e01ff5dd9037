"""Scratch repositories with real git, in which source and baseline are edited, merged and judged.

The source is a folder of small files in which `def f():` opens a scope and every indented line is a site;
that is all the analysis these tests need, since what they test are the rows and git.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from ratchet.baseline.format import load
from ratchet.baseline.operations import Change, adopt, allow, tighten
from ratchet.baseline.scopes import scope_lookup
from ratchet.baseline.store import read_baseline, write_baselines
from ratchet.baseline.unmerged import merge_unmerged
from ratchet.comparison import compare
from ratchet.model import Baseline, Census, Rule, RuleVerdict, Site, Span
from tests.baseline.samples import rule

PROJECT = Path(__file__).parents[2]
DRIVER = f'"{sys.executable}" -m ratchet merge-driver %O %A %B %P'
ATTRIBUTES = "baselines/*.tsv merge=ratchet\n"


class Repository:
    """A work tree: `src/*.py` are judged by the rule `writes`, whose baseline is `baselines/writes.tsv`."""

    def __init__(self, folder: Path, rule: Rule = rule()) -> None:  # noqa: B008
        self.folder = folder
        self.rule = rule
        self.baselines = folder / "baselines"
        self.file = self.baselines / "writes.tsv"

    @classmethod
    def create(cls, folder: Path, files: dict[str, str], driver: str | None = None) -> Repository:
        """A repository whose only commit, on `main`, holds the files and the adopted baseline."""
        folder.mkdir()
        repo = cls(folder)
        repo.git("init", "--quiet", "--initial-branch=main")
        for name, value in (("user.name", "Tester"), ("user.email", "tester@example.com")):
            repo.git("config", name, value)
        if driver:
            repo.git("config", "merge.ratchet.driver", driver)
        repo.write(".gitattributes", ATTRIBUTES)
        for path, text in files.items():
            repo.write(path, text)
        repo.adopt()
        repo.commit("start")
        return repo

    def git(self, *arguments: str, fails: bool = False) -> str:
        """Run git and give back what it said; `fails` says whether it must."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment |= {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_EDITOR": "true",
            "PYTHONPATH": str(PROJECT),
            "LC_ALL": "C",
        }
        run = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        said = run.stdout + run.stderr
        assert (run.returncode != 0) is fails, said
        return said

    def write(self, path: str, text: str) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def replace(self, path: str, old: str, new: str = "") -> None:
        """Replace the first `old` in a file."""
        text = (self.folder / path).read_text(encoding="utf-8")
        assert old in text
        self.write(path, text.replace(old, new, 1))

    def commit(self, message: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    def branch(self, name: str, start: str = "main") -> None:
        self.git("checkout", "--quiet", "-b", name, start)

    def switch(self, name: str) -> None:
        self.git("checkout", "--quiet", name)

    def sites(self) -> list[Site]:
        return [site for path in self._source() for site in self._scan(path)]

    def verdict(self) -> RuleVerdict:
        """What `check` compares: the files of the work tree against the baseline file."""
        paths = frozenset(path.relative_to(self.folder).as_posix() for path in self._source())
        census = Census(len(paths), len(paths), 0, paths, complete=True)
        defines = scope_lookup(lambda path: (self.folder / path).read_bytes())
        return compare(self.rule, self.sites(), load(self.file, "writes"), census, defines=defines)

    def adopt(self) -> None:
        paths = frozenset(path.relative_to(self.folder).as_posix() for path in self._source())
        census = Census(len(paths), len(paths), 0, paths, complete=True)
        old = read_baseline(self.baselines, self.rule)
        write_baselines(self.baselines, [adopt(self.rule, self.sites(), census, old, reason="new").new])

    def tighten(self) -> Change:
        """What the command does: merge what is unmerged, then lower what is stale."""
        merge_unmerged(self.baselines)
        change = tighten(self.baseline, self.verdict())
        if change.changes_file:
            write_baselines(self.baselines, [change.new])
        return change

    def allow(self, path: str, reason: str) -> None:
        write_baselines(self.baselines, [allow(self.baseline, self.verdict(), path, reason).new])

    @property
    def baseline(self) -> Baseline:
        return load(self.file, "writes")

    def _source(self) -> list[Path]:
        return sorted((self.folder / "src").glob("*.py"))

    def _scan(self, path: Path) -> list[Site]:
        found: list[Site] = []
        scope = ""
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("def "):
                scope = line[4:].partition("(")[0]
            elif line.startswith(" ") and line.strip() != "pass":
                span = Span(number, 5, number, len(line) + 1)
                found.append(Site("writes", f"src/{path.name}", span, scope, line.strip()))
        return found


def module(**functions: list[str]) -> str:
    """Source text: each function with its sites, and enough lines between them for git to merge around."""
    parts = [
        "\n".join(
            [f"def {name}():", "    pass", *(f"    {site}" for site in sites), "    pass", "# end of " + name]
        )
        for name, sites in functions.items()
    ]
    return "\n\n\n".join(parts) + "\n"
