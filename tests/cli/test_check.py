"""`ratchet check`: what it says, to whom, and how it ends."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from ratchet.checking.check import Request, check
from ratchet.errors import UsageError
from ratchet.scan import Progress
from ratchet.session import open_sessions
from ratchet.workspace import Options
from tests.cli.project import CART, FILES, Outcome, Project, without_time

NEW_SITE = '\n    def slow(self):\n        self.settings.override("cart", retries=9)\n'
CLEAN = """\
settings-override  2 → 2
settings-read      1 → 1
shell              0 → 0
5 files discovered, 3 analysed, 2 judged by their bytes, 0 not judged
check: clean
"""


def shown(outcome: Outcome) -> tuple[int, str]:
    """The exit code and the report; what went to the standard error must be nothing."""
    assert outcome.err == ""
    return outcome.code, without_time(outcome.out)


def test_nothing_changed(adopted: Project) -> None:
    assert shown(adopted.run("check")) == (0, CLEAN)


def test_a_new_site_fails_and_is_named(adopted: Project) -> None:
    adopted.write("src/shop/cart.py", CART + NEW_SITE)
    assert shown(adopted.run("check")) == (
        1,
        """\
src/shop/cart.py:16:9: new settings-override in Cart.slow
    self.settings.override("cart", retries=9)
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    instead: Call publish(field=value).
why settings-override: A record that everyone writes has no owner.

settings-override  2 → 3  +1
settings-read      1 → 1
shell              0 → 0
5 files discovered, 3 analysed, 2 judged by their bytes, 0 not judged
check: failed: 1 new site
""",
    )


def test_a_swap_is_one_new_and_one_gone(adopted: Project) -> None:
    adopted.edit("src/shop/cart.py", "timeout=1", "retries=1")
    code, out = shown(adopted.run("check"))
    assert (code, out.splitlines()[-5:]) == (
        1,
        [
            "settings-override  2 → 2  +1  -1",
            "settings-read      1 → 1",
            "shell              0 → 0",
            "5 files discovered, 3 analysed, 2 judged by their bytes, 0 not judged",
            "check: failed: 1 new site, 1 gone site",
        ],
    )


def test_a_ban_needs_no_baseline_and_allows_nothing(adopted: Project) -> None:
    adopted.write("src/shop/ping.py", 'import os\n\nos.system("ping")\n')
    code, out = shown(adopted.run("check", "--rule", "shell"))
    assert (code, out.splitlines()[-3:]) == (
        1,
        [
            "shell  0 → 1  +1",
            "6 files discovered, 4 analysed, 2 judged by their bytes, 0 not judged",
            "check: failed: 1 new site",
        ],
    )


STALE = 'self.settings.override("cart", timeout=1)'


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param([], 1, id="fails"),
        pytest.param(["--stale=fail"], 1, id="asked-to-fail"),
        pytest.param(["--stale=warn"], 0, id="asked-to-warn"),
        pytest.param(["--exit-zero"], 0, id="exit-zero"),
        pytest.param(["src/shop/cart.py"], 1, id="in-a-named-file"),
        pytest.param(["src/shop"], 1, id="in-a-named-folder"),
        pytest.param(["src/shop/context.py"], 0, id="in-a-file-that-is-not-named"),
        pytest.param(["--rule=settings-read"], 0, id="of-another-rule"),
    ],
)
def test_stale_rows(adopted: Project, arguments: list[str], code: int) -> None:
    adopted.edit("src/shop/cart.py", STALE, "pass")
    assert adopted.run("check", *arguments).code == code


def test_the_configuration_says_what_stale_rows_do(adopted: Project) -> None:
    adopted.write("ratchet.toml", FILES["ratchet.toml"] + 'stale = "warn"\n')
    adopted.edit("src/shop/cart.py", STALE, "pass")
    assert adopted.run("check").code == 0
    assert adopted.run("check", "--stale=fail").code == 1


def test_a_rule_that_warns_never_fails(adopted: Project) -> None:
    adopted.write("src/shop/wait.py", "from shop.context import get_settings\n\nget_settings().timeout\n")
    code, out = shown(adopted.run("check"))
    assert (code, out.splitlines()[-4]) == (0, "settings-read      1 → 2  +1  (warns only)")


# Named files


@pytest.mark.parametrize(
    ("paths", "last_lines"),
    [
        pytest.param(
            ["src/shop/cart.py"],
            [
                "settings-override  2 of 2",
                "settings-read      1 of 1",
                "shell              0 of 0",
                "1 file discovered, 1 analysed, 0 judged by their bytes, 0 not judged (part of the tree)",
                "check: clean",
            ],
            id="a-file",
        ),
        pytest.param(
            ["src/shop/cart.py", "tests/test_cart.py", "README.md"],
            [
                "1 file discovered, 1 analysed, 0 judged by their bytes, 0 not judged,"
                " 2 arguments ignored, no Python in the root (part of the tree)",
                "check: clean",
            ],
            id="others-outside",
        ),
        pytest.param(
            ["README.md"],
            [
                "0 files discovered, 0 analysed, 0 judged by their bytes, 0 not judged,"
                " 1 argument ignored, no Python in the root (part of the tree)",
                "check: clean",
            ],
            id="only-outside",
        ),
        pytest.param(["src"], CLEAN.splitlines(), id="around-the-root"),
    ],
)
def test_named_files(adopted: Project, paths: list[str], last_lines: list[str]) -> None:
    adopted.write("tests/test_cart.py", "")
    adopted.write("README.md", "")
    code, out = shown(adopted.run("check", *paths))
    assert (code, out.splitlines()[-len(last_lines) :]) == (0, last_lines)


BASE = """\
class Base:
    def __init__(self, settings):
        self.own = settings
"""
DERIVED = """\
from shop.base import Base


class Derived(Base):
    def go(self):
        self.own.override("x", a=1)
"""


@pytest.mark.parametrize(
    "cache", [["--cache-dir=warm"], ["--cache-dir=cold"], ["--no-cache"]], ids=["warm", "cold", "none"]
)
def test_a_named_file_is_judged_with_what_others_say(adopted: Project, cache: list[str]) -> None:
    adopted.write("src/shop/base.py", BASE)
    adopted.run("count", "--cache-dir=warm")
    adopted.write("src/shop/derived.py", DERIVED)
    outcome = adopted.run("check", "src/shop/derived.py", "--rule=settings-override", *cache)
    assert "derived.py:6:9: new settings-override in Derived.go" in outcome.out
    assert outcome.code == 1


def test_a_deleted_file_that_a_hook_names(committed: Project) -> None:
    (committed.folder / "src/shop/cart.py").unlink()
    outcome = committed.run("check", "src/shop/cart.py")
    assert (outcome.code, without_time(outcome.out).splitlines()[-1]) == (1, "check: failed: 3 gone sites")


def test_a_renamed_file_that_a_hook_names(committed: Project) -> None:
    committed.git("mv", "src/shop/cart.py", "src/shop/basket.py")
    for names in (["basket.py", "cart.py"], ["basket.py"]):
        outcome = committed.run("check", *(f"src/shop/{name}" for name in names))
        assert without_time(outcome.out).splitlines()[-1] == "check: failed: 3 moved sites"


def test_a_file_that_never_was(committed: Project) -> None:
    assert committed.run("check", "src/shop/crat.py") == Outcome(
        2, "", "ratchet: src/shop/crat.py: there is no such file or folder; correct the path\n"
    )


# An editor's text


@pytest.mark.parametrize(
    ("name", "text", "code", "last"),
    [
        pytest.param("src/shop/cart.py", CART, 0, "check: clean", id="as-saved"),
        pytest.param(
            "src/shop/cart.py", CART + NEW_SITE, 1, "check: failed: 1 new site", id="with-a-new-site"
        ),
        pytest.param("src/shop/cart.py", "", 1, "check: failed: 3 gone sites", id="emptied"),
        pytest.param(
            "src/shop/new.py", "import os\nos.system('x')\n", 1, "check: failed: 1 new site", id="new-file"
        ),
        pytest.param(
            "src/shop/cart.py", "def f(settings:\n", 3, "check: could not judge: 1 problem", id="half-typed"
        ),
        pytest.param("tests/new.py", "import os\nos.system('x')\n", 0, "check: clean", id="outside"),
        pytest.param(
            "src/shop/.cache/new.py", "import os\nos.system('x')\n", 0, "check: clean", id="left-out"
        ),
    ],
)
def test_standard_input(adopted: Project, name: str, text: str, code: int, last: str) -> None:
    outcome = adopted.run("check", "--stdin-filename", name, stdin=text)
    assert (outcome.code, without_time(outcome.out).splitlines()[-1]) == (code, last)
    assert adopted.read("src/shop/cart.py") == CART


# Reports


def test_files_beside_the_standard_output(adopted: Project, tmp_path: Path) -> None:
    adopted.write("src/shop/cart.py", CART + NEW_SITE)
    places = {name: tmp_path / f"report.{name}" for name in ("json", "sarif", "junit", "markdown", "text")}
    wanted = [f"--output={name}:{place}" for name, place in places.items()]
    outcome = adopted.run("check", "--format=json", *wanted)
    assert outcome.err == ""
    assert json.loads(outcome.out) == json.loads(places["json"].read_text())
    assert json.loads(outcome.out)["rules"][0]["new"] == 1
    assert json.loads(places["sarif"].read_text())["version"] == "2.1.0"
    assert (
        places["text"].read_text().startswith("src/shop/cart.py:16:9: new settings-override in Cart.slow\n")
    )
    assert places["junit"].read_text().startswith("<?xml")
    assert places["markdown"].read_text().startswith("## ratchet check: failed: 1 new site")


def test_a_device_is_written_to_as_it_is(adopted: Project) -> None:
    assert adopted.run("check", "--output=json:/dev/null").code == 0


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        pytest.param(
            "report.json", "is not FORMAT:FILE, with text, json, sarif, github, junit, markdown for FORMAT"
        ),
        pytest.param("xml:report.xml", "is not FORMAT:FILE"),
        pytest.param("json:", "is not FORMAT:FILE"),
    ],
)
def test_wrong_outputs(adopted: Project, output: str, sentence: str) -> None:
    outcome = adopted.run("check", "--output", output)
    assert outcome.code == 2
    assert sentence in outcome.err


def test_under_github_actions(adopted: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    adopted.write("src/shop/cart.py", CART + NEW_SITE)
    outcome = adopted.run("check")
    assert (
        outcome.out.startswith("::error file=src/shop/cart.py,line=16,") is False
    )  # no repository: from the root
    assert outcome.out.startswith("::error file=cart.py,line=16,endLine=16,col=9,endColumn=50,")
    assert summary.read_text().startswith("before\n## ratchet check: failed: 1 new site")


def test_a_chosen_format_wins_under_github_actions(
    adopted: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    assert shown(adopted.run("check", "--format=text")) == (0, CLEAN)
    assert not (tmp_path / "summary.md").exists()


def test_counting_is_no_matter_for_github_actions(adopted: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert adopted.run("count").out.startswith("settings-override  2\n")


def test_two_runs_and_no_cache_say_the_same(adopted: Project) -> None:
    adopted.write("src/shop/cart.py", CART + NEW_SITE)
    reports = [
        adopted.run("check", "--format=json", *extra).out for extra in ([], [], ["--no-cache"], ["-j2"])
    ]
    assert len(set(reports)) == 1


# Wrong arguments


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        pytest.param(
            ["--since=HEAD", "--stale=fail"],
            2,
            "--stale=fail is about baselines, and --since compares with another commit: use one of them",
            id="since-and-stale",
        ),
        pytest.param(
            ["--since=HEAD"],
            3,
            "src/shop lies in no git repository, and --since needs one",
            id="since-without-a-repository",
        ),
        pytest.param(
            ["--staged"],
            3,
            "src/shop lies in no git repository, and --staged needs one",
            id="staged-without-a-repository",
        ),
        pytest.param(
            ["--rule=settings-overide"],
            2,
            "no rule is called settings-overide; did you mean `settings-override`?; `ratchet count` lists",
            id="unknown-rule",
        ),
        pytest.param(
            ["--root=nowhere"],
            3,
            "there is no such folder; say where the tree is with --root",
            id="no-such-root",
        ),
        pytest.param(["--tree=web"], 2, "there is no tree `web`", id="unknown-tree"),
        pytest.param(["--pack=./rules/none"], 2, "./rules/none holds no pack.toml", id="no-such-pack"),
        pytest.param(
            ["--config=other.toml"], 2, "other.toml: there is no such configuration file", id="no-config"
        ),
        pytest.param(["--baselines=none"], 2, "2 rules have no baseline in", id="no-baselines"),
    ],
)
def test_what_cannot_be_asked(adopted: Project, arguments: list[str], code: int, sentence: str) -> None:
    outcome = adopted.run("check", *arguments)
    assert (outcome.code, outcome.out) == (code, "")
    assert sentence in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize(
    "asked",
    [
        Request(),
        Request(rules=("settings-read",)),
        Request(paths=("src/shop/cart.py",)),
        Request(staged=True),
    ],
    ids=["all", "a rule", "a part", "the index"],
)
def test_a_rule_without_a_baseline_is_told_before_anything_is_counted(
    project: Project, asked: Request
) -> None:
    project.git("init", "--quiet", "--initial-branch=main")
    project.git("add", "--all")
    counted: list[int] = []
    options = Options(no_cache=True)
    with open_sessions(options, cwd=project.folder, progress=Progress(start=counted.append)) as (session,):
        with pytest.raises(UsageError, match="adopt"):
            check(session, asked)
        assert counted == []
        project.run("adopt", "--all")
        project.git("add", "--all")
        assert check(session, asked).verdict.exit_code == 0
        assert counted[0] == 5


def test_dates_end_exemptions_and_allowances(adopted: Project) -> None:
    exempt = '\n[[exempt]]\npaths = ["cart.py"]\nreason = "for now"\nuntil = 2020-01-31\nowner = "@shop"\n'
    adopted.write("rules/shop/shell.toml", FILES["rules/shop/shell.toml"] + exempt)
    outcome = adopted.run("check")
    assert outcome.code == 3
    fault = "an exemption of shell for cart.py ended on 2020-01-31 (@shop): remove it, or give it a new date"
    assert f"fault: {fault}" in outcome.out.splitlines()


def test_an_allowance_that_ended_is_new_again(adopted: Project) -> None:
    adopted.write("src/shop/cart.py", CART + NEW_SITE)
    allow = ["allow", "settings-override", "src/shop/cart.py", "--reason=for now"]
    assert adopted.run(*allow, "--until=2020-01-31").err == (
        "ratchet: --until 2020-01-31 is over: name a day to come, or leave it out\n"
    )
    assert adopted.run(*allow, "--until=2998-01-31").code == 0
    assert adopted.run("check").code == 0
    kept = adopted.read("baselines/settings-override.tsv")
    adopted.write("baselines/settings-override.tsv", kept.replace("2998-01-31", "2020-01-31"))
    assert adopted.run("check").code == 1
    assert adopted.run(*allow, "--until=2999-01-31").code == 0
    assert adopted.run("check").code == 0
    rows = adopted.read("baselines/settings-override.tsv").splitlines()[3:]
    assert [row for row in rows if "for now" in row] == [
        "cart.py\tCart.slow\tself.settings.override(retries)\t1\tfor now (until 2999-01-31)"
    ]


def test_an_exemption_that_matches_nothing_is_a_fault_of_a_full_run_only(adopted: Project) -> None:
    exempt = '\n[[exempt]]\npaths = ["gone.py"]\nreason = "it was here"\n'
    adopted.write("rules/shop/shell.toml", FILES["rules/shop/shell.toml"] + exempt)
    fault = "rules/shop/shell.toml: an exemption names gone.py, where no file is: correct or remove it"
    full = adopted.run("check")
    assert (full.code, f"fault: {fault}" in full.out.splitlines()) == (3, True)
    assert adopted.run("check", "src/shop/cart.py").code == 0
    assert adopted.run("count").code == 0
    assert adopted.run("pack", "lint").code == 0
    assert adopted.run("pack", "lint", "--root=src/shop") == Outcome(3, f"{fault}\npack lint: 1 fault\n", "")


@pytest.mark.parametrize(
    ("folder", "shown"),
    [
        pytest.param(".", "src/shop/cart.py", id="above"),
        pytest.param("src", "shop/cart.py", id="between"),
        pytest.param("src/shop", "cart.py", id="the-root"),
        pytest.param("rules", "{}/src/shop/cart.py", id="beside"),
    ],
)
def test_text_names_files_as_the_working_directory_sees_them(
    adopted: Project, folder: str, shown: str
) -> None:
    adopted.edit("src/shop/cart.py", STALE, 'self.settings.override("cart", name="x", timeout=1)')
    adopted.edit("src/shop/cart.py", "return get_settings().timeout", "pass")
    here = Project(adopted.folder / folder)
    path = shown.format(adopted.folder)
    lines = here.run("check").out.splitlines()
    assert f"{path}:13:9: new settings-override in Cart.hasty" in lines
    assert f"{path}: gone settings-read in Cart.patient" in lines
    assert f"  {path}:9:9: self.settings.override" in here.run("sites", "settings-override").out
    assert here.run("explain", f"{path}:13").out.startswith(f"{path}:13:")
    # What machines read is the same wherever it was asked for.
    assert json.loads(here.run("check", "--format=json").out)["rules"][0]["sites"][0]["path"] == "cart.py"
    assert "cart.py\tCart.hasty\t" in adopted.read("baselines/settings-override.tsv")


def test_a_part_is_told_of_the_files_as_they_are_again(project: Project) -> None:
    """After a change that was taken back, the whole tree is known, and its parts must be judged by it too."""
    lent = "from shop.context import get_settings\n\ndef lend():\n    return get_settings()\n"
    nothing = lent.replace("get_settings()\n", "None\n")
    project.write("src/shop/lend.py", nothing)
    project.write(
        "src/shop/use.py", "from shop.lend import lend\n\ndef use():\n    lend().override('use', timeout=1)\n"
    )
    project.adopt()
    for text, code in ((nothing, 0), (lent, 1), (nothing, 0), (lent, 1)):
        project.write("src/shop/lend.py", text)
        time.sleep(0.1)  # a file that has just been written is not remembered
        assert project.run("check").code == code
        assert project.run("check", "src/shop/use.py").code == code
