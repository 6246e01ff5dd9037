"""The small project in a repository whose commits have days and authors."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.cli.project import FILES, Project

HASTY = '        self.settings.override("cart", timeout=1)\n'
PATIENT = '        self.settings.override("cart", timeout=60)\n'


REFUSED = """\
from shop.context import get_settings


def wait():
    try:
        settings = get_settings()
    except ValueError:
        return 0
    return settings.retries
"""
"""A read that the planner moves and the rewriter refuses."""


LOUD = '''\
title = "prints"
kind = "pattern"
mode = "ratchet"
why = "Nobody reads them."
instead = "Log it."

[match]
patterns = ["print($WHAT)"]
rewrite = "get_log().info($WHAT)"

[codemod]
imports = ["shop.log.get_log"]

[[example]]
bad = "print(1)"
good = "say(1)"
fixed = """
from shop.log import get_log

get_log().info(1)
"""
'''
"""A rule with a codemod of its own."""


class Dated(Project):
    """A project whose commits are made on a day of January 2026, by a named author."""

    @classmethod
    def start(cls, folder: Path, files: Mapping[str, str] = FILES) -> Dated:
        """Adopt every rule, and commit that on the first day."""
        project = cls(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            project.write(path, text)
        project.adopt()
        project.git("init", "--quiet", "--initial-branch=main")
        project.commit_on(1, "start", "Ann")
        return project

    def commit_on(self, day: int, message: str, author: str = "Ann") -> str:
        """Commit everything that is there; gives back the commit's id."""
        self.git("add", "--all")
        self.dated(day, author, "commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD").strip()

    def dated(self, day: int, author: str, *command: str) -> None:
        """Run a git command that makes a commit."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        for role in ("AUTHOR", "COMMITTER"):
            environment[f"GIT_{role}_NAME"] = author
            environment[f"GIT_{role}_EMAIL"] = "a@example.org"
            environment[f"GIT_{role}_DATE"] = f"2026-01-{day:02}T12:00:00+00:00"
        environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_EDITOR": "true"}
        done = subprocess.run(
            ["git", *command], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def tighten(self) -> None:
        """Record progress."""
        outcome = self.run("tighten")
        assert outcome.code == 0, outcome.err

    def report(self, *arguments: str) -> Any:
        """The JSON that a command prints."""
        outcome = self.run(*arguments, "--format", "json")
        assert outcome.code == 0, outcome.err
        return json.loads(outcome.out)

    def story(self, *arguments: str, rule: str = "settings-override") -> Any:
        """The entry of one rule in the history."""
        (entry,) = (each for each in self.report("history", *arguments)["rules"] if each["id"] == rule)
        return entry
