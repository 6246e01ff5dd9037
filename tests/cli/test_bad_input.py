"""Bad input at the level of commands: a clear sentence, the right exit code, no verdict that improves."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ratchet import judge, pool
from ratchet.cli.run import run
from tests.cli.project import CART, FILES, Outcome, Project, without_time
from tests.forked import fill_disk, forked
from tests.source.scratch import powerless

CALL = "    settings.override('x', a=1)\n"


def last_line(outcome: Outcome) -> str:
    """How a run ended."""
    return without_time(outcome.out).splitlines()[-1]


# From 3.11 on the parser sees that a text is too deep for it; before, its process dies.
GUARDED = sys.version_info >= (3, 11)
# Before Python 3.11 the parser of TOML calls itself for each part of a name.
DEEP_NAME = "unknown key `x`" if GUARDED else "is nested too deeply to be read"

# Files of the tree: the one that holds all known sites turns bad

UNREADABLE: dict[str, tuple[bytes, str]] = {
    "not parsed": (
        b"def f(settings:\n",
        "cart.py:1: not judged: does not parse: '(' was never closed",
    ),
    "cut off": (
        b"settings = '''\n",
        "cart.py:1: not judged: does not parse: unterminated triple-quoted string",
    ),
    "NUL bytes": (
        b"settings = 1\0\n",
        "cart.py:1: not judged: holds a NUL byte, which Python does not read",
    ),
    "no UTF-8": (b"settings = '\xff'\n", "cart.py:1: not judged:"),
    "unknown cookie": (b"# coding: klingon\nsettings = 1\n", "cart.py:1: not judged:"),
    "cookie against BOM": (
        b"\xef\xbb\xbf# coding: latin-1\nsettings = 1\n",
        "cart.py:1: not judged:",
    ),
    "wrong for its cookie": (b"# coding: ascii\nsettings = '\xc3\xa9'\n", "cart.py:2: not judged:"),
    "UTF-16": ("settings = 1\n".encode("utf-16"), "cart.py:1: not judged:"),
    "2,000 brackets": (
        b"settings = " + b"(" * 2000 + b")" * 2000,
        "cart.py:1: not judged: does not parse:",
    ),
    "a sum of 200,000 terms": (
        b"settings = " + b"+".join([b"1"] * 200_000),
        "cart.py: not judged: "
        + ("is nested too deeply to be parsed" if GUARDED else "takes the parser down"),
    ),
    "200,000 terms on as many lines": (
        b"settings = (" + b"+\n".join([b"1"] * 200_000) + b")",
        "cart.py: not judged: "
        + ("is nested too deeply to be parsed" if GUARDED else "takes the parser down"),
    ),
    "100,000 attributes": (
        b"settings" + b".a" * 100_000,
        "cart.py: not judged: is nested too deeply",
    ),
    "100,000 signs": (
        b"settings = " + b"-" * 100_000 + b"1",
        "cart.py: not judged: is nested too deeply",
    ),
    "newer grammar": (
        b"settings = 1\nmatch settings:\n    case 1 if:\n        pass\n",
        "cart.py:3: not judged:",
    ),
}


@pytest.mark.parametrize(("data", "sentence"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_file_that_cannot_be_judged(adopted: Project, data: bytes, sentence: str) -> None:
    adopted.write("src/shop/cart.py", data)
    for arguments in (["check"], ["check", "src/shop/cart.py"], ["check", "--stale=warn", "--exit-zero"]):
        outcome = adopted.run(*arguments)
        assert (outcome.code, outcome.err) == (3, "")
        assert last_line(outcome) == "check: could not judge: 1 problem"
        assert [line for line in outcome.out.splitlines() if line.startswith(f"src/shop/{sentence}")]
        assert "gone" not in outcome.out
    assert adopted.run("count").code == 3
    assert adopted.run("adopt", "settings-override").code == 3
    before = adopted.read("baselines/settings-override.tsv")
    assert adopted.run("tighten").code == 3
    assert adopted.read("baselines/settings-override.tsv") == before


def test_files_that_cannot_be_judged_in_a_process_of_its_own(adopted: Project) -> None:
    for number, (data, _) in enumerate(UNREADABLE.values()):
        adopted.write(f"src/shop/bad{number}.py", data)
    outcome = adopted.process("check")
    assert (outcome.code, outcome.err) == (3, "")
    assert last_line(outcome) == f"check: could not judge: {len(UNREADABLE)} problems"


GOOD: dict[str, tuple[bytes, int]] = {
    "a BOM": (b"\xef\xbb\xbf" + CART.encode(), 0),
    "a cookie": (b"# coding: latin-1\n" + CART.replace('"cart"', '"caf\u00e9"').encode("latin-1"), 0),
    "Windows lines": (CART.replace("\n", "\r\n").encode(), 0),
    "old Mac lines": (CART.replace("\n", "\r").encode(), 0),
    "a form feed": (b"\f" + CART.encode(), 0),
    "no last line end": (CART.rstrip().encode(), 0),
    "a 10 MB line beside it": (CART.encode() + b"X = '" + b"x" * 10_000_000 + b"'\n", 0),
    "empty": (b"", 1),
}


@pytest.mark.parametrize(("data", "code"), GOOD.values(), ids=GOOD)
def test_a_file_that_is_only_unusual(adopted: Project, data: bytes, code: int) -> None:
    adopted.write("src/shop/cart.py", data)
    outcome = adopted.run("check", "--rule=settings-override", "--rule=settings-read")
    assert (outcome.code, "not judged:" in outcome.out) == (code, False)


def test_many_sites_on_one_very_long_line(adopted: Project) -> None:
    calls = "settings.override('\u00e9', a=1);" * 2000
    adopted.write("src/shop/long.py", f"def f(settings):\n    {calls}\n")
    outcome = adopted.run("check", "--rule=settings-override")
    assert (outcome.code, last_line(outcome)) == (1, "check: failed: 2,000 new sites")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_special_files(adopted: Project) -> None:
    folder = adopted.folder / "src/shop"
    os.mkfifo(folder / "pipe.py")
    (folder / "loop.py").symlink_to("loop.py")
    (folder / "dangling.py").symlink_to("nowhere.py")
    (folder / "round").symlink_to(folder)
    outcome = adopted.run("check")
    assert (outcome.code, last_line(outcome)) == (3, "check: could not judge: 3 problems")
    assert "src/shop/pipe.py: not judged: is a named pipe, not a file" in outcome.out.splitlines()


@pytest.fixture
def public() -> Iterator[Project]:
    """The project with its baselines where everybody may look, also who has no power over files."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        project = Project.create(Path(folder) / "work")
        project.adopt()
        yield project


def test_an_unreadable_file(public: Project) -> None:
    (public.folder / "src/shop/cart.py").chmod(0)
    with powerless():
        outcome = public.run("check", "--no-cache", "-j1")
    assert (outcome.code, last_line(outcome)) == (3, "check: could not judge: 1 problem")
    assert "src/shop/cart.py: not judged: cannot be read: permission denied" in outcome.out.splitlines()


@pytest.mark.parametrize(
    "name",
    ["with space.py", "with\nnewline.py", "tab\there.py", "-dash.py", "\udcff.py", "\u202ereversed.py"],
)
def test_names_that_are_unusual(adopted: Project, name: str) -> None:
    place = os.fsencode(adopted.folder / "src/shop" / name)
    with open(place, "wb") as file:  # noqa: PTH123 - a name that is no text
        file.write(f"def f(settings):\n{CALL}".encode())
    outcome = adopted.run("check", "--format=json", "--output=text:report.txt", "--output=sarif:report.sarif")
    assert outcome.code == 1
    assert len(adopted.read("report.txt").splitlines()) == 11
    planned = adopted.run("migrate", "--all")
    assert (planned.code, planned.err) == (0, "")
    assert adopted.run("allow", "settings-override", f"src/shop/{name}", "--reason=odd").code == 0
    assert adopted.run("check").code == 0
    os.unlink(place)  # noqa: PTH108
    assert adopted.run("check").code == 1
    assert adopted.run("tighten").code == 0
    assert adopted.run("check").code == 0


def test_a_tree_without_files(adopted: Project) -> None:
    for path in (adopted.folder / "src/shop").glob("*.py"):
        path.unlink()
    outcome = adopted.run("check")
    assert (outcome.code, "no Python file was found under src/shop" in last_line(outcome)) == (3, True)
    assert adopted.run("tighten").code == 3


def test_a_worker_that_dies(adopted: Project) -> None:
    """A parser that crashes takes its own file down, not the run."""
    code = """if True:
        import ast, os, sys
        parse = ast.parse
        def crash(text, *rest):
            if "CRASH" in str(text):
                os.kill(os.getpid(), 9)
            return parse(text, *rest)
        ast.parse = crash
        from ratchet.cli.run import run
        sys.exit(run(["check", "--jobs=2", "--no-cache"]))
    """
    adopted.write("src/shop/cart.py", CART + "# CRASH\n")
    for number in range(40):
        adopted.write(f"src/shop/fill{number}.py", "settings = 1\n" + "# fill\n" * 4000)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=adopted.folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (3, "")
    assert without_time(done.stdout).splitlines()[-1] == "check: could not judge: 1 problem"
    assert "src/shop/cart.py: not judged: takes the parser down, or more than 60 seconds" in done.stdout


def test_a_file_that_finds_no_end(adopted: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file can keep an expression busy for hours; it is a problem, and the others are judged."""
    monkeypatch.setattr(judge, "ORDINARY_TIME", 0.1)
    monkeypatch.setattr(pool, "PATIENCE", 1)
    text = FILES["rules/shop/shell.toml"].replace('"pattern"', '"text"')
    adopted.write("rules/shop/shell.toml", text.replace("patterns = [", "regex = '(?s)a.*a.*a.*a.*[#!]' # "))
    adopted.write("src/shop/busy.py", "x = [\n" + "a,\n" * 2_000 + "]\n")
    outcome = adopted.run("count", "shell", "--jobs=1", "--no-cache")
    assert outcome.code == 3
    assert "src/shop/busy.py: not judged: takes the parser down, or more than 1 seconds" in outcome.out
    assert "cart.py" not in outcome.out


# Configuration and rules

BROKEN_TOML: dict[str, tuple[str, str, int, str]] = {
    "configuration is no TOML": ("ratchet.toml", "root = \n", 2, "ratchet.toml:1: is not TOML"),
    "configuration: unknown key": (
        "ratchet.toml",
        FILES["ratchet.toml"] + 'baseline = "x"\n',
        2,
        "ratchet.toml:3: unknown key `baseline`; did you mean `baselines`?",
    ),
    "configuration: wrong type": (
        "ratchet.toml",
        'root = 3\npacks = ["./rules/shop"]\n',
        2,
        "ratchet.toml:1: `root` must be a string that is not empty, and is 3",
    ),
    "configuration: a newer ratchet": (
        "ratchet.toml",
        FILES["ratchet.toml"] + 'required-version = ">=99"\n',
        2,
        'run `pip install "ratchet-lint>=99"`',
    ),
    "configuration: no such rule": (
        "ratchet.toml",
        FILES["ratchet.toml"] + 'rules = ["shel"]\n',
        2,
        "the configuration names the rule shel, which no pack has; did you mean `shell`?",
    ),
    **{
        f"{what}: {path}": (path, text, code, f"{path}:2: {sentence}")
        for path, code in (("ratchet.toml", 2), ("rules/shop/shell.toml", 3), ("rules/shop/pack.toml", 3))
        for what, text, sentence in (
            ("nested for ever", "\nx = " + "[" * 20_000, "is nested too deeply to be read"),
            ("deep name", "\nx" + ".a" * 1_200 + " = 1", DEEP_NAME),
            ("digits for ever", "\nx = " + "9" * 20_000, "holds a number of more than 64 bits"),
            ("a wide number", "\nx = " + hex(2**64), "holds a number of more than 64 bits"),
            ("a NUL in a text", '\nx = ["a\\u0000"]', "holds a NUL character, which no path and no name has"),
            (
                "a NUL in a key",
                '\n[x]\n"\\u0000" = 1',
                "holds a NUL character, which no path and no name has",
            ),
        )
    },
    "configuration: a version of too many digits": (
        "ratchet.toml",
        f'required-version = ">={"9" * 5_000}"\n',
        2,
        "ratchet.toml:1: `required-version` must be a version specifier such as",
    ),
    "configuration: a pack's name is too long": (
        "ratchet.toml",
        f'packs = ["./{"x" * 5_000}"]\n',
        2,
        "holds no pack.toml: name the folder of a pack",
    ),
    "configuration: a root's name is too long": (
        "ratchet.toml",
        f'packs = ["./rules/shop"]\nroot = "{"x" * 5_000}"\n',
        3,
        "File name too long; correct its name",
    ),
    "rule is no TOML": ("rules/shop/shell.toml", "title = 'x\n", 3, "rules/shop/shell.toml:1: is not TOML"),
    "rule: unknown key": (
        "rules/shop/shell.toml",
        FILES["rules/shop/shell.toml"].replace("mode =", "mood ="),
        3,
        "rules/shop/shell.toml:3: unknown key `mood`; did you mean `mode`?",
    ),
    "rule: a pattern that does not parse": (
        "rules/shop/shell.toml",
        FILES["rules/shop/shell.toml"].replace("os.system(...)", "os.system("),
        3,
        "rules/shop/shell.toml:8: the pattern `os.system(`",
    ),
    "rule: an expression that can run away": (
        "rules/shop/shell.toml",
        FILES["rules/shop/shell.toml"]
        .replace('"pattern"', '"text"')
        .replace("patterns = [", "regex = '(s+)+!' # "),
        3,
        "rules/shop/shell.toml:8: `regex` cannot serve: it can run away: it repeats what matches in several",
    ),
    "pack is no TOML": ("rules/shop/pack.toml", "[[object]\n", 3, "rules/shop/pack.toml:1: is not TOML"),
    "pack of a newer format": (
        "rules/shop/pack.toml",
        FILES["rules/shop/pack.toml"].replace("format = 1", "format = 9"),
        3,
        "rules/shop/pack.toml:1: format 9 is not known; this ratchet reads format 1: update it",
    ),
}


@pytest.mark.parametrize(("path", "text", "code", "sentence"), BROKEN_TOML.values(), ids=BROKEN_TOML)
def test_broken_configurations_and_rules(
    adopted: Project, path: str, text: str, code: int, sentence: str
) -> None:
    adopted.run("check")  # what is cached does not hide it
    adopted.write(path, text)
    for verb in ("check", "count", "tighten"):
        outcome = adopted.run(verb)
        assert (outcome.code, outcome.out) == (code, "")
        assert sentence in outcome.err
        assert "Traceback" not in outcome.err


# Baselines

HEADER = "# ratchet baseline format 1\n# fingerprint {}\n# Kept by `ratchet tighten`.\n"
ROWS = (
    "cart.py\tCart.hasty\tself.settings.override(timeout)\t1\n",
    "cart.py\tCart.patient\tself.settings.override(timeout)\t1\n",
)

BROKEN_BASELINES: dict[str, tuple[Callable[[str], str], str]] = {
    "conflict markers": (
        lambda text: text.replace(ROWS[0], f"<<<<<<< HEAD\n{ROWS[0]}=======\n>>>>>>> topic\n"),
        ":4: holds a merge conflict: run `ratchet tighten settings-override`",
    ),
    "a row twice": (lambda text: text.replace(ROWS[0], ROWS[0] * 2), ":5: repeats the row before it"),
    "rows out of order": (lambda text: text.replace("".join(ROWS), ROWS[1] + ROWS[0]), ":5: is out of order"),
    "a newer format": (
        lambda text: text.replace("format 1", "format 2"),
        ":1: has format 2, this ratchet reads format 1: run `pip install --upgrade ratchet-lint`",
    ),
    "cut off": (lambda text: text[:-5], "expected a line break at the end, the file may be cut off"),
    "empty": (lambda text: "", ":1: expected"),
    "a count of zero": (lambda text: text.replace("\t1\n", "\t0\n", 1), ":4: expected a count of 1 or more"),
    "a missing column": (
        lambda text: text.replace("\t1\n", "\n", 1),
        ":4: expected path, scope, code, count",
    ),
    "another rule version": (
        lambda text: text.replace("# fingerprint ", "# fingerprint 0"),
        "was adopted for another version of the rule settings-override: run `ratchet adopt",
    ),
}


@pytest.mark.parametrize(("spoil", "sentence"), BROKEN_BASELINES.values(), ids=BROKEN_BASELINES)
def test_broken_baselines(adopted: Project, spoil: Callable[[str], str], sentence: str) -> None:
    path = "baselines/settings-override.tsv"
    text = spoil(adopted.read(path))
    adopted.write(path, text)
    outcome = adopted.run("check", "--exit-zero", "--stale=warn")
    assert (outcome.code, outcome.err) == (3, "")
    (fault,) = [line for line in outcome.out.splitlines() if line.startswith("fault: ")]
    assert path in fault
    assert sentence in fault
    assert adopted.run("tighten").code == 3
    assert adopted.read(path) == text


def test_a_baseline_without_a_rule(adopted: Project) -> None:
    adopted.write("baselines/retired.tsv", adopted.read("baselines/settings-read.tsv"))
    outcome = adopted.run("check")
    assert outcome.code == 3
    assert "retired.tsv belongs to no rule: delete it, bring the rule back" in outcome.out


def test_a_baseline_that_is_a_folder(adopted: Project) -> None:
    place = adopted.folder / "baselines/settings-override.tsv"
    place.unlink()
    place.mkdir()
    outcome = adopted.run("check")
    assert (outcome.code, "is not a regular file" in outcome.out) == (3, True)


def limited(project: Project, size: int, *arguments: str) -> Outcome:
    """Run a command that can write no file larger than `size` bytes, as on a full disk."""

    def work() -> None:
        fill_disk(size)
        sys.exit(run(list(arguments)))

    done = forked(work, project.folder)
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sets a limit that other systems lack")
def test_a_full_disk_while_baselines_are_written(adopted: Project) -> None:
    (adopted.folder / "src/shop/cart.py").rename(adopted.folder / "src/shop/basket.py")
    names = ("settings-override", "settings-read")
    before = [adopted.read(f"baselines/{name}.tsv") for name in names]
    for arguments in (
        ["tighten", "--no-cache"],
        ["adopt", "settings-read", "--baselines=other", "--no-cache"],
    ):
        outcome = limited(adopted, 60, *arguments)
        assert (outcome.code, outcome.out) == (3, "")
        assert "could not be written (File too large) and is as it was before" in outcome.err
        assert "Traceback" not in outcome.err
    assert [adopted.read(f"baselines/{name}.tsv") for name in names] == before
    assert sorted(path.name for path in (adopted.folder / "baselines").iterdir()) == [
        f"{name}.tsv" for name in names
    ]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sets a limit that other systems lack")
def test_a_full_disk_while_a_report_is_written(adopted: Project) -> None:
    adopted.write("report.json", "old")
    outcome = limited(adopted, 10, "check", "--no-cache", "--output=json:report.json")
    assert (outcome.code, "report.json could not be written (File too large)" in outcome.err) == (3, True)
    assert adopted.read("report.json") == "old"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sets a limit that other systems lack")
def test_a_full_disk_under_the_cache(adopted: Project) -> None:
    outcome = limited(adopted, 2000, "check", "--cache-dir=full")
    assert (outcome.code, last_line(outcome)) == (0, "check: clean")
    assert outcome.err.startswith("note: the cache ")
    assert outcome.err.endswith("; the verdict is the same without it\n")


# The cache


NEW_SITE = "\n    def n(self):\n        self.settings.override('x', a=1)\n"


def with_cache(project: Project) -> Project:
    """The project with a new site, and a cache that knows its tree."""
    project.write("src/shop/cart.py", CART + NEW_SITE)
    assert project.run("check", "--cache-dir=cache").code == 1
    return project


@pytest.fixture
def cached(adopted: Project) -> Project:
    """The project with a new site and a cache."""
    return with_cache(adopted)


def the_file(project: Project) -> Path:
    """The cache's file."""
    (found,) = (project.folder / "cache").glob("cache-*.sqlite3")
    return found


def garbage(file: Path) -> None:
    file.write_bytes(b"this is no database" * 1000)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:5000])


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def foreign(file: Path) -> None:
    file.unlink()
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE facts(something TEXT)")
        database.execute("PRAGMA user_version = 1")


def lying(file: Path) -> None:
    """Texts of other keys, or of none."""
    with sqlite3.connect(file) as database:
        database.execute("UPDATE facts SET text = '{}'")
        database.execute("UPDATE results SET text = '{}'")


def a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize("spoil", [garbage, cut, emptied, foreign, lying, a_folder], ids=lambda f: f.__name__)
def test_a_spoilt_cache_changes_no_verdict(cached: Project, spoil: Callable[[Path], None]) -> None:
    expected = cached.run("check", "--no-cache", "--format=json")
    spoil(the_file(cached))
    for _ in range(2):
        outcome = cached.run("check", "--cache-dir=cache", "--format=json")
        assert (outcome.code, outcome.out) == (expected.code, expected.out)
        assert outcome.err.count("\n") <= 1


def test_a_read_only_cache(public: Project) -> None:
    cached = with_cache(public)
    cached.write("src/shop/more.py", f"def f(settings):\n{CALL}")
    expected = cached.run("check", "--no-cache", "--format=json")
    (cached.folder / "cache").chmod(0o555)
    the_file(cached).chmod(0o444)
    with powerless():
        outcome = cached.run("check", "--cache-dir=cache", "--format=json")
    assert (outcome.code, outcome.out) == (expected.code, expected.out)
    assert outcome.err.count("\n") <= 1


def test_a_cache_folder_that_cannot_be_made(adopted: Project) -> None:
    adopted.write("file", "x")
    outcome = adopted.run("check", "--cache-dir=file/below")
    assert (outcome.code, last_line(outcome)) == (0, "check: clean")
    assert "; the verdict is the same without it\n" in outcome.err


def test_two_processes_at_once(adopted: Project) -> None:
    for number in range(20):
        adopted.write(f"src/shop/m{number}.py", f"def f(settings):\n{CALL}" * 20)
    expected = adopted.run("check", "--no-cache", "--format=json").out
    outcomes: list[Outcome] = []

    def check() -> None:
        outcomes.append(adopted.process("check", "--cache-dir=shared", "--format=json", "-j1"))

    threads = [threading.Thread(target=check) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(outcome.code, outcome.out) for outcome in outcomes] == [(1, expected)] * 3
    assert adopted.run("check", "--cache-dir=shared", "--format=json").out == expected


def test_a_file_that_changes_back_within_the_same_tick(adopted: Project) -> None:
    """The cache must not trust a time stamp that a second write can share."""
    place = adopted.folder / "src/shop/cart.py"
    for text, code in ((CART, 0), (CART.replace("timeout=1", "retries=1"), 1), (CART, 0)) * 3:
        place.write_text(text)
        os.utime(place, ns=(1_700_000_000_000_000_000,) * 2)
        assert adopted.run("check", "--rule=settings-override").code == code


# A pack that lacks what a verb needs

BARE = FILES["rules/shop/pack.toml"].partition("[engine]")[0]
ADD = "add it to {folder}/rules/shop/pack.toml, or choose a pack with --pack"
LACKING: dict[str, tuple[list[str], str]] = {
    "flow": (["flow"], "follows no record: declare an [[object]] in it"),
    "roles": (["roles"], "does not say how processes publish: add [publishing] to its pack.toml"),
    "schema": (["schema", "show"], f"declares no [schema]: {ADD}"),
    "stubs": (["stubs", "--out", "stubs"], f"declares no [schema]: {ADD}"),
    "surface": (["surface", "show", "1.0"], f"declares no [surface]: {ADD}"),
    "upgrade": (["upgrade", "--from", "1.0", "--to", "2.0", "src"], f"declares no [surface]: {ADD}"),
}


@pytest.mark.parametrize(("arguments", "lacks"), LACKING.values(), ids=LACKING)
def test_a_pack_that_lacks_what_a_verb_needs(tmp_path: Path, arguments: list[str], lacks: str) -> None:
    kept = {path: text for path, text in FILES.items() if "/settings-" not in path and "/schema/" not in path}
    project = Project.create(tmp_path, {**kept, "rules/shop/pack.toml": BARE})
    said = f"ratchet: the pack shop {lacks.format(folder=tmp_path)}\n"
    assert project.run(*arguments) == Outcome(3, "", said)
