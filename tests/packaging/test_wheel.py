"""The built distributions: they hold what a user needs, and work outside of the checkout."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

import ratchet

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "engine"
RUNTIME_DEPENDENCIES = {"click", "libcst", "packaging", "rich", "tomli"}

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True)
class Installed:
    """A fresh environment in which the wheel is installed, outside of the checkout."""

    folder: Path

    def run(self, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """The outcome of a command of the environment, with nothing of this process on its path."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        environment |= {"XDG_CACHE_HOME": str(self.folder / "cache"), "NO_COLOR": "1", "GITHUB_ACTIONS": ""}
        scripts = self.folder / "venv" / "bin"
        return subprocess.run(
            [str(scripts / arguments[0]), *arguments[1:]],
            cwd=cwd or self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution: the wheel is built out of the latter."""
    folder = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    """The built wheel."""
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in an environment of its own."""
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    environment = Installed(folder)
    done = environment.run("python", "-m", "pip", "install", "--quiet", str(wheel))
    assert done.returncode == 0, done.stderr
    return environment


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A copy of the small engine tree."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "engine"))


def tracked(*folders: str) -> set[str]:
    """The files that git holds below some folders."""
    done = subprocess.run(
        ["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()}


def missing(held: Iterable[str], wanted: Iterable[str]) -> list[str]:
    """What is wanted and not held."""
    return sorted(set(wanted) - set(held))


def test_the_wheel_holds_package_and_packs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    wanted = {
        name if name.startswith("ratchet/") else f"ratchet/{name}" for name in tracked("ratchet", "rules")
    }
    assert missing(names, wanted) == []
    assert [name for name in names if "cache__" in name or "/." in name or name.endswith(".pyc")] == []
    info = f"ratchet_lint-{ratchet.__version__}.dist-info/"
    assert [name for name in names if not name.startswith(("ratchet/", info))] == []


def test_the_source_distribution_can_be_tested(built: Path) -> None:
    (found,) = built.glob("*.tar.gz")
    with tarfile.open(found) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = tracked("ratchet", "rules", "tests", "examples", "baselines", "scripts", "docs")
    assert (
        missing(names, wanted | {"Makefile", "README.md", "LICENSE", "CHANGELOG.md", "pyproject.toml"}) == []
    )


def test_it_needs_no_more_than_it_says(installed: Installed) -> None:
    code = "from importlib.metadata import requires; print(*requires('ratchet-lint'), sep='\\n')"
    listed = installed.run("python", "-c", code).stdout.splitlines()
    names = [re.match("[a-z]+", line) for line in listed if "extra ==" not in line]
    assert {name.group() for name in names if name} == RUNTIME_DEPENDENCIES


@pytest.mark.parametrize("command", [("ratchet",), ("python", "-m", "ratchet")], ids=["command", "module"])
def test_version(installed: Installed, command: tuple[str, ...]) -> None:
    done = installed.run(*command, "--version")
    assert (done.stdout, done.returncode) == (f"ratchet {ratchet.__version__}\n", 0)


def test_the_example_passes(installed: Installed, example: Path) -> None:
    done = installed.run("ratchet", "check", cwd=example)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_counting_outside_of_the_checkout(installed: Installed, example: Path) -> None:
    done = installed.run("ratchet", "count", "--format", "json", "--root", str(example / "sglang"))
    report = json.loads(done.stdout)
    counts = {rule["id"]: rule["count"] for rule in report["rules"]}
    assert report["files"]["not_judged"] == 0
    assert counts["server-args-override"] == 3


def test_the_page_is_written(installed: Installed, example: Path) -> None:
    done = installed.run("ratchet", "report", "--html", "page.html", cwd=example)
    assert (done.returncode, done.stderr) == (0, "")
    assert "class Treemap" in (example / "page.html").read_text(encoding="utf-8")


def test_rules_of_the_shipped_pack(installed: Installed) -> None:
    done = installed.run("ratchet", "test-rules")
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_is_typed(installed: Installed) -> None:
    code = (
        "import ratchet, pathlib; package = pathlib.Path(ratchet.__file__).parent;"
        "print(package.joinpath('py.typed').is_file(), package.is_relative_to(__import__('sys').prefix))"
    )
    assert installed.run("python", "-c", code).stdout == "True True\n"
