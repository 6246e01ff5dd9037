"""Since when sites are there, and by whom, through reformatting and renames; and what turned main red."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.history.dated import HASTY, PATIENT, Dated

OVERRIDE = "settings-override"
LONG = '        self.settings.override("shop.cart: everybody waits for this one", timeout=60)\n'


def told(project: Dated, rule: str = OVERRIDE) -> dict[str, str | None]:
    """The subject of the commit that brought each site, by its scope."""
    sites = project.report("blame", rule)["sites"]
    return {each["scope"]: each["commit"] and each["commit"]["subject"] for each in sites}


def commits(report: Any) -> list[tuple[str, str, str]]:
    return [
        (each["scope"], each["commit"]["author"], each["commit"]["date"][:10])
        for each in report["sites"]
        if each["commit"]
    ]


def test_the_oldest_first_with_who_and_when(project: Dated) -> None:
    project.write("src/shop/new.py", "def slow(settings):\n    settings.override('new', timeout=2)\n")
    project.commit_on(5, "one more", "Bea")
    assert commits(project.report("blame", OVERRIDE)) == [
        ("Cart.patient", "Ann", "2026-01-01"),
        ("Cart.hasty", "Ann", "2026-01-01"),
        ("slow", "Bea", "2026-01-05"),
    ]


def test_a_line_that_is_only_reworded_is_no_new_site(project: Dated) -> None:
    project.edit("src/shop/cart.py", PATIENT, PATIENT.replace("60", "90"))
    project.commit_on(2, "more patience")
    project.edit("src/shop/cart.py", PATIENT.replace("60", "90"), LONG)
    project.commit_on(3, "another reason")
    wrapped = LONG.replace("override(", "override(\n            ").replace(
        ", timeout", ",\n            timeout"
    )
    project.edit("src/shop/cart.py", LONG, wrapped)
    project.commit_on(4, "formatted")
    assert told(project) == {"Cart.patient": "start", "Cart.hasty": "start"}


def test_another_field_is_a_new_site(project: Dated) -> None:
    project.edit("src/shop/cart.py", PATIENT, PATIENT.replace("timeout", "retries"))
    project.commit_on(2, "retries instead")
    assert told(project) == {"Cart.patient": "retries instead", "Cart.hasty": "start"}


def test_one_of_two_twins_is_new(project: Dated) -> None:
    project.edit("src/shop/cart.py", PATIENT, PATIENT + PATIENT)
    project.commit_on(2, "twice")
    sites = project.report("blame", OVERRIDE)["sites"]
    patient = [each["commit"]["subject"] for each in sites if each["scope"] == "Cart.patient"]
    assert sorted(patient) == ["start", "twice"]


def test_through_a_rename_and_a_renamed_function(project: Dated) -> None:
    project.git("mv", "src/shop/cart.py", "src/shop/basket.py")
    project.commit_on(2, "a better name")
    project.edit("src/shop/basket.py", "def patient", "def waiting")
    project.edit("src/shop/basket.py", PATIENT, PATIENT.replace("60", "61"))
    project.commit_on(3, "another name, another number")
    assert told(project) == {"Cart.waiting": "start", "Cart.hasty": "start"}
    then = {each["scope"]: each["then"] for each in project.report("blame", OVERRIDE)["sites"]}
    assert then["Cart.waiting"] == {"path": "cart.py", "line": 9}


def test_a_site_that_moves_out_of_a_function_which_stays_is_new(project: Dated) -> None:
    """As `check` says: only a function that is no more can have been renamed."""
    project.edit("src/shop/cart.py", PATIENT, "        self.linger()\n")
    project.write("src/shop/cart.py", f"{project.read('src/shop/cart.py')}\n    def linger(self):\n{PATIENT}")
    assert "new settings-override in Cart.linger" in project.run("check").out
    assert told(project) == {"Cart.linger": None, "Cart.hasty": "start"}
    project.commit_on(2, "a function of its own")
    assert told(project) == {"Cart.linger": "a function of its own", "Cart.hasty": "start"}
    assert project.report("blame", OVERRIDE)["red"]["unrecorded"] == 1


def test_lines_that_move_in_a_file(project: Dated) -> None:
    text = project.read("src/shop/cart.py")
    head, _, rest = text.partition("    def patient")
    patient, _, hasty = rest.partition("    def hasty")
    project.write("src/shop/cart.py", f"{head}    def hasty{hasty}\n    def patient{patient.rstrip()}\n")
    project.commit_on(2, "in the order of the alphabet")
    assert told(project) == {"Cart.patient": "start", "Cart.hasty": "start"}


def test_a_copy_in_another_file_is_a_new_site(project: Dated) -> None:
    project.write("src/shop/other.py", project.read("src/shop/cart.py").replace("class Cart", "class Other"))
    project.commit_on(2, "a copy")
    assert told(project)["Other.patient"] == "a copy"
    assert told(project)["Cart.patient"] == "start"


def test_what_is_not_committed(project: Dated) -> None:
    project.edit("src/shop/cart.py", PATIENT, "        pass\n" + PATIENT)
    project.edit("src/shop/cart.py", HASTY, HASTY.replace("=1", "=2"))
    project.write("src/shop/new.py", "def slow(settings):\n    settings.override('new', timeout=2)\n")
    project.edit(
        "src/shop/context.py",
        "def get_net",
        "def late(settings):\n    settings.override('x')\n\n\ndef get_net",
    )
    assert told(project) == {"Cart.patient": "start", "Cart.hasty": "start", "slow": None, "late": None}
    assert "not committed" in project.run("blame", OVERRIDE).out


def test_the_author_on_a_branch_and_not_the_merger(project: Dated) -> None:
    project.git("checkout", "--quiet", "-b", "side")
    project.write("src/shop/new.py", "def slow(settings):\n    settings.override('new', timeout=2)\n")
    project.commit_on(2, "on the side", "Bea")
    project.git("checkout", "--quiet", "main")
    project.commit_on(3, "beside it")
    project.dated(4, "Cem", "merge", "--quiet", "--no-ff", "--message", "merge", "side")
    report = project.report("blame", OVERRIDE)
    assert ("slow", "Bea", "2026-01-02") in commits(report)
    red = report["red"]
    assert (red["commit"]["subject"], red["commit"]["author"], red["unrecorded"]) == ("merge", "Cem", 1)


def test_red_since_the_first_commit_of_the_present_stretch(project: Dated) -> None:
    assert project.report("blame", OVERRIDE)["red"] is None
    first = "def slow(settings):\n    settings.override('new', timeout=2)\n"
    project.write("src/shop/new.py", first)
    project.commit_on(2, "red, then green")
    project.run("allow", OVERRIDE, "new.py", "--reason", "for now")
    project.commit_on(3, "allowed")
    for day in range(4, 24):
        text = f"{first}\n\ndef more(settings):\n    settings.override('more', timeout={day})\n"
        project.write("src/shop/new.py", text)
        project.commit_on(day, f"day {day}")
    red = project.report("blame", OVERRIDE)["red"]
    assert (red["commit"]["subject"], red["unrecorded"], red["since_start"]) == ("day 4", 1, False)
    assert project.run("blame", OVERRIDE).out.endswith(
        f"red since 2026-01-04 {red['commit']['id'][:9]}  Ann: day 4\n"
        "  HEAD holds 1 site that its baseline lacks\n"
    )


def test_a_ban_is_red_with_its_first_site(project: Dated) -> None:
    project.write("src/shop/make.py", "import os\n\nos.system('make')\n")
    project.commit_on(2, "a shell", "Bea")
    report = project.report("blame", "shell")
    assert report["red"]["commit"]["subject"] == "a shell"
    assert commits(report) == [("", "Bea", "2026-01-02")]


def test_swapped_sites_are_red_though_the_number_is_the_same(project: Dated) -> None:
    project.edit("src/shop/cart.py", HASTY, HASTY.replace("timeout", "retries"))
    project.commit_on(2, "a swap")
    assert project.report("blame", OVERRIDE)["red"]["commit"]["subject"] == "a swap"


def test_the_text(project: Dated) -> None:
    first = project.git("rev-parse", "HEAD")[:9]
    assert (
        project.run("blame", OVERRIDE).out
        == f"""\
2026-01-01 {first}  Ann  src/shop/cart.py:9  self.settings.override(timeout)
2026-01-01 {first}  Ann  src/shop/cart.py:13  self.settings.override(timeout)
settings-override: 2 sites by 1 author
"""
    )


def test_what_cannot_be_told(project: Dated, tmp_path: Path) -> None:
    project.commit_on(2, "a second one")
    project.git("clone", "--quiet", "--depth", "1", project.folder.as_uri(), str(tmp_path / "shallow"))
    for folder, words in ((tmp_path / "shallow", "git fetch --unshallow"), (None, "no git repository")):
        place = Dated(folder) if folder else Dated(Dated.create(tmp_path / "none").folder)
        outcome = place.run("blame", OVERRIDE)
        assert (outcome.code, outcome.out, words in outcome.err) == (3, "", True)
