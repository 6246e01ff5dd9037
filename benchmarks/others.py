"""Tools that search the same tree for `get_server_args().FIELD`, in an environment of their own."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

PACKAGES = ("ruff", "ast-grep-cli", "semgrep", "fixit")
PATTERN = "get_server_args().$FIELD"
SEMGREP_RULE = f"""\
rules:
  - id: global-config-read
    languages: [python]
    severity: WARNING
    message: reads the record
    pattern: {PATTERN}
"""
FIXIT_RULE = """\
import libcst
import libcst.matchers as matchers
from fixit import Invalid, LintRule, Valid


class GlobalConfigRead(LintRule):
    MESSAGE = "reads the record"
    VALID = [Valid("get_parallel().x")]
    INVALID = [Invalid("get_server_args().x")]

    def visit_Attribute(self, node: libcst.Attribute) -> None:
        if matchers.matches(node.value, matchers.Call(func=matchers.Name("get_server_args"))):
            self.report(node, self.MESSAGE)
"""


@dataclass(frozen=True, slots=True)
class Tool:
    """A command that is measured beside ratchet: how it is shown, how it is run, and how it may end.

    `primed` tools run once before the clock, so that their cache is warm. `slow` ones are measured once.
    """

    name: str
    command: tuple[str, ...]
    variables: tuple[tuple[str, str], ...] = ()
    primed: bool = False
    slow: bool = False
    allowed: tuple[int, ...] = (0, 1)


def install(environment: Path) -> dict[str, str]:
    """Make the environment where there is none; the versions of the tools in it."""
    python = environment / "bin" / "python"
    pip = (str(python), "-m", "pip", "--disable-pip-version-check")
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        subprocess.run([*pip, "install", "--quiet", *PACKAGES], check=True)
    listed = subprocess.run([*pip, "list", "--format=freeze"], check=True, capture_output=True, text=True)
    versions = dict(line.split("==") for line in listed.stdout.splitlines() if "==" in line)
    return {name: versions[name] for name in PACKAGES}


def tools(environment: Path, scratch: Path, tree: Path) -> list[Tool]:
    """The tools over a tree; their rules and caches go to the scratch folder."""
    (scratch / "semgrep.yml").write_text(SEMGREP_RULE, encoding="utf-8")
    (scratch / "record_rule.py").write_text(FIXIT_RULE, encoding="utf-8")
    place = (environment / "bin").resolve()
    ruff = (str(place / "ruff"), "check", "--isolated", "--select=F", "--quiet")
    sg = (str(place / "ast-grep"), "run", "--lang=python", f"--pattern={PATTERN}", "--json=stream")
    semgrep = (str(place / "semgrep"), "scan", f"--config={scratch}/semgrep.yml", "--metrics=off", "--jobs=2")
    whole = (
        "--disable-version-check",
        "--no-git-ignore",
        "--x-ignore-semgrepignore-files",
        "--quiet",
        "--json",
    )
    fixit = (str(place / "fixit"), "--quiet", "--rules=record_rule", "lint")
    cached = (*ruff, f"--cache-dir={scratch}/ruff", str(tree))
    return [
        Tool("`ruff check --select F`, cold", (*ruff, "--no-cache", str(tree))),
        Tool("`ruff check --select F`, warm", cached, primed=True),
        Tool("ast-grep, one pattern", (*sg, str(tree))),
        Tool("semgrep, one rule", (*semgrep, *whole, str(tree)), (("PATH", f"{place}:/usr/bin:/bin"),)),
        Tool("Fixit, one rule", (*fixit, str(tree)), (("PYTHONPATH", str(scratch)),), slow=True),
    ]
