"""The page in a real browser: it sorts, filters and opens, by mouse and keyboard, and runs nothing else."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.history.dated import HASTY, Dated
from tests.page import hostile
from tests.page.browser import DESK, PHONE, Browser

pytestmark = pytest.mark.slow

FIELDS = ("timeout", "retries", "name")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests of this module."""
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture(autouse=True)
def _no_errors(browser: Browser) -> Iterator[None]:
    browser.errors()
    yield
    assert browser.errors() == []


def written(project: Dated) -> Path:
    """The page of a project."""
    outcome = project.run("report", "--html", "page.html")
    assert outcome.code == 0, outcome.err
    return project.folder / "page.html"


def reads(count: int) -> str:
    """A module with so many reads, one a line."""
    lines = (f"    get_settings().{FIELDS[at % 3]}\n" for at in range(count))
    return "from shop.context import get_settings\n\n\ndef all_of_them():\n" + "".join(lines)


@pytest.fixture
def page(project: Dated) -> Path:
    """A page with 73 sites in four files, one that is gone, and a history of two steps."""
    project.write("CODEOWNERS", "* @shop\nsrc/shop/deep/ @deep\n")
    project.edit("src/shop/cart.py", HASTY, "        pass\n")
    project.tighten()
    project.commit_on(3, "hasty is gone", "Ben")
    for path, count in (("deep/down/many.py", 48), ("deep/down/few.py", 16), ("new.py", 7)):
        project.write(f"src/shop/{path}", reads(count))
    return written(project)


PLACES = "#sites-table tbody .path"


def test_it_opens_with_all_of_its_parts(browser: Browser, page: Path) -> None:
    browser.open(page)
    parts = ["How far it is", "Burn-down", "Sites", "Files", "Coherence", "Roles"]
    assert browser.texts("nav a") == browser.texts("h2") == parts
    assert browser.texts(".verdict") == ["check: clean (71 new sites, which do not fail)"]
    assert browser.texts("#coherence .missing") == [
        "Not known: no rule of the kind flow was asked for, or the packs have none"
    ]
    script = "return [...document.images].every((each) => each.complete && each.naturalWidth > 0)"
    browser.run("for (const each of document.images) each.loading = 'eager'")
    browser.run("return Promise.all([...document.images].map((each) => each.decode()))")
    assert browser.run(script)


def test_it_sorts(browser: Browser, page: Path) -> None:
    browser.open(page)
    lines = "#sites-table tbody tr td:first-child .path"
    heads = "#sites-table th:nth-child({})"
    unsorted = browser.texts(lines)
    browser.click("#sites-table .sort", "place")
    rising = browser.texts(lines)
    assert browser.attribute(heads.format(1), "aria-sort") == "ascending"
    assert [each.partition(":")[0] for each in rising] == sorted(each.partition(":")[0] for each in rising)
    browser.click("#sites-table .sort", "place")
    assert browser.attribute(heads.format(1), "aria-sort") == "descending"
    assert browser.texts(lines)[0].startswith("new.py:")
    browser.click("#sites-table .sort", "code")
    assert browser.attribute(heads.format(1), "aria-sort") == "none"
    codes = browser.texts("#sites-table tbody td:nth-child(2)")
    assert codes == sorted(codes)
    assert len(unsorted) == len(rising) == 50


def test_numbers_sort_as_numbers_with_the_largest_first(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.click("#files-table .sort", "sites")
    assert browser.texts("#files-table tbody td:nth-child(3)") == ["48", "16", "7", "2"]
    browser.click("#files-table .sort", "sites")
    assert browser.texts("#files-table tbody td:nth-child(3)") == ["2", "7", "16", "48"]


def test_what_is_not_known_sorts_last(browser: Browser, page: Path) -> None:
    browser.open(page)
    for _ in range(2):
        browser.click("#rules-table .sort", "first")
        assert browser.texts("#rules-table tbody td:first-child .name")[-1] == "shell"


@pytest.mark.parametrize(
    ("label", "value", "told"),
    [
        pytest.param("Rule", "settings-override", "1 site in 1 file, 0 can move", id="rule"),
        pytest.param("Namespace", "net", "49 sites in 4 files, 23 can move", id="namespace"),
        pytest.param("Owner", "@deep", "64 sites in 2 files, 21 can move", id="owner"),
        pytest.param("Fate or reason", "can move", "23 sites in 3 files, 23 can move", id="fate"),
        pytest.param("Fate or reason", "owner-elsewhere", "26 sites in 4 files, 0 can move", id="reason"),
        pytest.param("Baseline", "known", "2 sites in 1 file, 0 can move", id="baseline"),
    ],
)
def test_it_filters(browser: Browser, page: Path, label: str, value: str, told: str) -> None:
    browser.open(page)
    assert browser.texts(".said") == ["73 sites in 4 files, 23 can move"]
    browser.choose(label, value)
    assert browser.texts(".said") == [told]
    files = int(told.partition(" in ")[2].split()[0])
    assert len(browser.texts("#files-table tbody tr")) == len(browser.texts(".treemap .tile")) == files
    browser.click(".filters button", "Show all")
    assert browser.texts(".said") == ["73 sites in 4 files, 23 can move"]


def test_words_filter_as_they_are_typed(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.focus("input[type=search]")
    browser.press("FEW", " ", "name")
    browser.run("return new Promise((done) => setTimeout(done, 300))")
    assert browser.texts(".said") == ["5 sites in 1 file, 0 can move"]
    browser.press("zzz")
    browser.run("return new Promise((done) => setTimeout(done, 300))")
    assert browser.texts("#sites-table tbody tr") == ["no site is left of what was chosen"]


def test_a_file_of_the_map_is_chosen(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.click(".treemap .tile", "few.py")
    assert browser.texts(".said") == ["16 sites in 1 file, 5 can move"]
    assert browser.focused() == "Sites"


def test_a_rule_is_chosen(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.click("#rules-table .open", "settings-overridethe writer of settings")
    browser.click("#rules-table .link", "settings-override")
    assert browser.texts(".said") == ["1 site in 1 file, 0 can move"]


def test_the_keyboard_sorts_opens_and_turns_pages(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.focus("#sites-table .sort")
    browser.press("ENTER")
    assert browser.attribute("#sites-table th", "aria-sort") == "ascending"
    assert browser.focused() == "place"
    browser.press(*["TAB"] * 7, "SPACE")
    assert browser.attribute("#sites-table .open", "aria-expanded") == "true"
    assert "▸" in browser.texts("#sites-table .detail .here .mark")
    browser.press("ENTER")
    assert browser.attribute("#sites-table .open", "aria-expanded") == "false"
    assert browser.texts("#sites-table .detail") == []
    browser.focus("#sites .pager button:last-child")
    browser.press("ENTER")
    assert browser.texts("#sites .page") == ["51\u201373 of 73"]
    assert browser.focused() == "Back"
    browser.press("ENTER")
    assert browser.texts("#sites .page") == ["1\u201350 of 73"]
    assert browser.focused() == "Next"


def test_the_focus_can_be_seen(browser: Browser, page: Path) -> None:
    browser.open(page)
    for _ in range(12):
        browser.press("TAB")
        style = browser.run("return getComputedStyle(document.activeElement).outlineStyle")
        assert style == "solid", browser.focused()


def test_everything_that_is_filled_in_has_a_label(browser: Browser, page: Path) -> None:
    browser.open(page)
    script = "return [...document.querySelectorAll('select, input')].map((each) => each.labels.length)"
    assert browser.run(script) == [1] * 6


def test_a_site_opens_to_what_is_proposed(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.choose("Fate or reason", "can move")
    browser.click("#sites-table .open")
    assert browser.texts(".diff .old.own .text") == ["    get_settings().retries"]
    (around, along) = browser.texts(".diff")
    assert "\u2212    get_settings().retries+    get_net().retries" in around
    old, new = "from shop.context import get_settings", "from shop.context import get_net, get_settings"
    assert along == f"1\u2212{old}+{new}"


def test_the_page_says_that_parameters_stay_in_what_it_proposes(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert (
        "What is proposed leaves parameters where they are. Those that nothing uses then are dropped by"
        " ratchet migrate --parameters, which lists them." in browser.texts("#sites .legend")
    )


def test_a_step_names_its_commit(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.click("#history summary", "2 steps")
    (newest, _) = browser.texts("#history tbody tr")
    assert (newest[:11], "Ben" in newest, "hasty is gone" in newest) == ("2026-01-031", True, True)


def test_the_burn_down_says_whose_numbers_it_has(browser: Browser, page: Path) -> None:
    browser.open(page)
    (said, *_) = browser.texts("#history > p")
    assert said == "Numbers of the committed baselines: the 71 new sites of the tree are in none of them."


def test_a_column_of_what_is_not_known_is_left_out(browser: Browser, page: Path) -> None:
    browser.open(page)
    heads = {name: browser.texts(f"#{name}-table th") for name in ("rules", "namespaces", "owners")}
    assert {name: "first" in " ".join(found) for name, found in heads.items()} == {
        "rules": True,
        "namespaces": False,
        "owners": True,
    }


def test_the_map_is_as_large_as_the_sites_are_many(browser: Browser, page: Path) -> None:
    browser.open(page)
    boxes = browser.run(
        "return [...document.querySelectorAll('.treemap .tile')].map((each) => {"
        " const box = each.getBoundingClientRect(); const map = each.parentElement.getBoundingClientRect();"
        " return [each.title, box.left - map.left, box.top - map.top, box.width, box.height, map.width,"
        " map.height]; })"
    )
    sizes = {box[0].split(":")[0]: box[3] * box[4] for box in boxes}
    many, few = sizes["deep/down/many.py"], sizes["deep/down/few.py"]
    assert many / few == pytest.approx(3, rel=0.02)
    for _, left, top, width, height, whole_width, whole_height in boxes:
        assert left >= -0.5
        assert top >= -0.5
        assert left + width <= whole_width + 0.5
        assert top + height <= whole_height + 0.5
    for (_, x, y, w, h, *_), (_, left, top, width, height, *_) in itertools.combinations(boxes, 2):
        apart = (x + w <= left + 1, left + width <= x + 1, y + h <= top + 1, top + height <= y + 1)
        assert any(apart)


@pytest.mark.parametrize("width", [PHONE, 768, DESK])
def test_nothing_is_wider_than_the_window(browser: Browser, page: Path, width: int) -> None:
    browser.open(page, width)
    browser.click("#sites-table .open")
    browser.click("#rules-table .open")
    assert browser.run("return document.documentElement.scrollWidth") == width


def test_it_is_dark_where_the_system_is(browser: Browser, page: Path) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        browser.open(page, scheme=scheme)
        grounds.append(browser.run("return getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(255, 255, 255)", "rgb(15, 19, 23)"]


def test_nothing_of_the_tree_is_run(browser: Browser, project: Dated) -> None:
    project.write(hostile.PATH, hostile.CODE)
    project.write("CODEOWNERS", hostile.OWNERS)
    project.commit_on(2, hostile.SUBJECT)
    browser.open(written(project))
    browser.choose("Rule", "settings-read")
    browser.click("#sites .sort", "code")
    browser.click("#sites-table .open")
    browser.click("#history summary", "1 step")
    assert browser.run(f"return typeof window.{hostile.MARK}") == "undefined"
    assert (
        browser.run("return document.querySelectorAll('main img:not(.panel img), main script').length") == 0
    )
    shown = "".join(browser.texts("#sites-table .detail .text"))
    assert hostile.CLOSING in shown
    assert "\\u202e\\u2028" in shown
    assert hostile.BIDI not in "".join(browser.texts("body"))


def test_the_browser_runs_no_other_script_of_the_page(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.run(
        "const added = document.createElement('script'); added.textContent = 'window.added = 1';"
        "document.body.append(added)"
    )
    assert browser.run("return typeof window.added") == "undefined"
    (refused,) = browser.errors()
    assert "Content Security Policy" in refused
