"""Facts joined across files: what one file parks, returns or passes on is followed in another."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing import active_children
from pathlib import Path

import pytest

from ratchet.cache import Cache
from ratchet.scan import Memory, Scan, Scanner
from ratchet.source.overlay import Overlay
from ratchet.source.worktree import WorkTree
from ratchet.tree import Tree, open_tree, plan_of
from tests.analysis.cases import render
from tests.shipped import PACK

BASE = """
from sglang.srt.runtime_context import get_server_args
class Base:
    def __init__(self):
        self._kept = get_server_args()
    def fetch(self):
        return get_server_args()
    @property
    def record(self):
        return get_server_args()
def helper():
    return get_server_args()
settings = get_server_args()
"""
READ = ["read global tp_size"]

Case = tuple[Mapping[str, str], Mapping[str, list[str]]]

CASES: dict[str, Case] = {
    "parked in a base class": (
        {
            "base.py": BASE,
            "user.py": "from sglang.srt.base import Base\nclass B(Base):\n"
            "    def g(self):\n        return self._kept.tp_size\n",
        },
        {"user.py": READ},
    ),
    "method and property of a base class": (
        {
            "base.py": BASE,
            "user.py": "from .base import Base\nclass B(Base):\n    def g(self):\n"
            "        return self.fetch().tp_size, self.record.tp_size\n",
        },
        {"user.py": READ * 2},
    ),
    "base class of a base class, past a file without any tracked name": (
        {
            "base.py": BASE,
            "middle.py": "from .base import Base\nclass Middle(Base):\n    pass\n",
            "user.py": "from .middle import Middle\nclass B(Middle):\n"
            "    def g(self):\n        return self._kept.tp_size\n",
        },
        {"user.py": READ},
    ),
    "helper of another module": (
        {
            "base.py": BASE,
            "user.py": "from sglang.srt import base\ndef f():\n    return base.helper().tp_size\n",
        },
        {"user.py": READ},
    ),
    "module-level alias imported elsewhere": (
        {"base.py": BASE, "user.py": "from .base import settings as s\ndef f():\n    return s.tp_size\n"},
        {"user.py": READ},
    ),
    "re-export of a value, a helper and a class": (
        {
            "base.py": BASE,
            "api/__init__.py": "from ..base import Base, helper, settings\n",
            "user.py": "from .api import Base, helper, settings\nclass B(Base):\n    def g(self):\n"
            "        return self._kept.tp_size, helper().tp_size, settings.tp_size\n",
        },
        {"user.py": READ * 3},
    ),
    "re-export of the accessor": (
        {
            "api.py": "from .runtime_context import get_server_args\n",
            "user.py": "from .api import get_server_args\ndef f():\n    return get_server_args().tp_size\n",
        },
        {"user.py": READ},
    ),
    "star import": (
        {"base.py": BASE, "user.py": "from .base import *\ndef f():\n    return helper().tp_size\n"},
        {"user.py": READ},
    ),
    "import cycle": (
        {
            "a.py": "from .runtime_context import get_server_args\nfrom . import b\n"
            "def rec():\n    return get_server_args()\n"
            "def f():\n    return b.again().tp_size\n",
            "b.py": "from . import a\ndef again():\n    return a.rec()\n"
            "def g():\n    return again().tp_size\n",
        },
        {"a.py": ["escape global", *READ], "b.py": ["escape global", *READ]},
    ),
    "helper that passes on another file's": (
        {
            "base.py": BASE,
            "middle.py": "from .base import helper\ndef second():\n    return helper()\n",
            "user.py": "from .middle import second\ndef f():\n    return second().tp_size\n",
        },
        {"middle.py": ["escape global"], "user.py": READ},
    ),
    "same names of another module": (
        {
            "base.py": BASE,
            "other.py": "class Base:\n    pass\ndef helper():\n    return 1\nsettings = 2\n",
            "user.py": "from .other import Base, helper, settings\nclass B(Base):\n    def g(self):\n"
            "        return self._kept.tp_size, helper().tp_size, settings.tp_size\n",
        },
        {"user.py": []},
    ),
    "a class of that name that derives from nothing": (
        {
            "base.py": BASE,
            "user.py": "class B:\n    def g(self):\n        return self._kept.tp_size, self.fetch().x\n",
        },
        {"user.py": []},
    ),
    "a helper that returns something else": (
        {
            "base.py": "def helper():\n    return 1\n",
            "user.py": "from .base import helper\nx = helper().tp_size\n",
        },
        {"user.py": []},
    ),
}


def tree(folder: Path, files: Mapping[str, str]) -> Path:
    root = folder / "sglang"
    for name, text in {
        "../sglang/__init__.py": "",
        **{f"srt/{name}": text for name, text in files.items()},
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def opened(root: Path, kept: Cache) -> Tree:
    return open_tree(WorkTree.open(root), str(root), PACK, PACK.rules, None, kept)


def scan(
    root: Path,
    cache: Path | None = None,
    jobs: int = 1,
    exempt: Sequence[str] = (),
    meanwhile: Iterator[object] | None = None,
) -> Scan:
    kept = Cache.open(cache)
    found = opened(root, kept)
    plan = plan_of(found, namespaces=True)
    scanner = Scanner(plan, found.source, kept, jobs, str(root), exempt=exempt)
    done = scanner.scan(meanwhile)
    kept.close()
    return done


def lines(found: Scan, path: str) -> list[str]:
    return [render(access) for access in found.facts[f"srt/{path}"].accesses]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_across_files(tmp_path: Path, case: Case) -> None:
    files, expected = case
    found = scan(tree(tmp_path, files))
    assert {path: lines(found, path) for path in expected} == expected


def test_the_cache_changes_nothing(tmp_path: Path) -> None:
    root, cache = tree(tmp_path, CASES["re-export of a value, a helper and a class"][0]), tmp_path / "cache"
    cold = scan(root, cache)
    warm = scan(root, cache)
    assert (warm.facts, warm.census, warm.index) == (cold.facts, cold.census, cold.index)
    (root / "srt/base.py").write_text(
        "class Base:\n    pass\ndef helper(): ...\nsettings = 0\n", encoding="utf-8"
    )
    assert scan(root, cache).facts == scan(root).facts
    assert lines(scan(root, cache), "user.py") == []


def test_what_an_earlier_scan_of_the_run_found_changes_nothing(tmp_path: Path) -> None:
    """Every tree scanned after every other one, with its memory: the outcome is that of a scan by itself."""
    below = {**CASES["import cycle"][0], **CASES["helper that passes on another file's"][0]}
    root, memory = tree(tmp_path, below), Memory()
    plan, disk = plan_of(opened(root, Cache.open(None)), namespaces=True), WorkTree.open(root)
    trees = [
        Overlay(disk, {f"srt/{name}": text.encode() for name, text in files.items()})
        for files, _ in CASES.values()
    ]

    def scanned(source: Overlay, memory: Memory | None) -> Scan:
        return Scanner(plan, source, Cache.open(None), 1, str(root), memory=memory).scan()

    alone = [scanned(source, None) for source in trees]
    for first in range(len(trees)):
        for second in range(first):
            for which in (first, second):
                again = scanned(trees[which], memory)
                assert (again.facts, again.index) == (alone[which].facts, alone[which].index)


def test_the_same_file_is_told_anew_where_others_export_something_else(tmp_path: Path) -> None:
    user = "from . import base\ndef f():\n    return base.helper().tp_size  # server_args\n"
    root, memory = tree(tmp_path, {"base.py": "", "user.py": user}), Memory()
    plan, disk = plan_of(opened(root, Cache.open(None)), namespaces=True), WorkTree.open(root)
    for text, expected in ((BASE.replace("helper", "other"), []), (BASE, READ)):
        source = Overlay(disk, {"srt/base.py": text.encode(), "srt/user.py": user.encode()})
        found = Scanner(plan, source, Cache.open(None), 1, str(root), memory=memory).scan()
        assert lines(found, "user.py") == expected


def large(folder: Path) -> Path:
    """A tree that is worth other processes."""
    padding = "# " + "x" * 400_000 + "\n"
    return tree(folder, {name: text + padding for name, text in CASES["import cycle"][0].items()})


def test_processes_change_nothing(tmp_path: Path) -> None:
    root = large(tmp_path)
    assert scan(root, jobs=2).facts == scan(root).facts


@pytest.mark.parametrize(("jobs", "pieces"), [(2, 1), (2, 3), (1, 3)])
def test_what_is_done_meanwhile_changes_nothing(tmp_path: Path, jobs: int, pieces: int) -> None:
    root, done = large(tmp_path), list[int]()
    found = scan(root, jobs=jobs, meanwhile=map(done.append, range(pieces))).facts
    assert found == scan(root).facts
    assert done == [*range(pieces)][: len(done)]  # in order, each once, and as many as there was time for
    assert bool(done) == (jobs > 1)  # where this process judges alone, there is nothing to wait for


def test_files_that_follow_from_others_are_judged_while_the_rest_is_done(tmp_path: Path) -> None:
    def wait() -> Iterator[None]:
        for _ in range(100):
            done.append(len(done))
            time.sleep(0.2)
            yield

    root, done = large(tmp_path), list[int]()
    assert scan(root, jobs=2, meanwhile=wait()).facts == scan(root).facts
    assert len(done) < 100


def test_what_fails_meanwhile_ends_the_scan_and_its_processes(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        scan(large(tmp_path), jobs=2, meanwhile=(1 // none for none in [0]))
    assert active_children() == []


def test_an_exempt_file_is_analysed_only_for_what_others_import(tmp_path: Path) -> None:
    user = "from .base import helper\ndef f():\n    return helper().tp_size  # of the record: server_args\n"
    alone = "from .runtime_context import get_server_args\ndef f():\n    return get_server_args().dp_size\n"
    root = tree(tmp_path, {"base.py": BASE, "user.py": user, "base_alone.py": alone})
    found = scan(root, exempt=["srt/base.py", "srt/base_alone.py"])
    assert lines(found, "user.py") == READ
    assert lines(found, "base_alone.py") == []
    assert lines(scan(root), "base_alone.py") == ["read global dp_size"]


def test_a_file_name_that_is_no_text_is_remembered(tmp_path: Path) -> None:
    root, cache = tree(tmp_path, {"user.py": "server_args = 1\n"}), tmp_path / "cache"
    odd = os.fsencode(root / "srt") + b"/\xff.py"
    with open(odd, "w", encoding="utf-8") as file:  # noqa: PTH123 - a path of bytes
        file.write("def f(server_args):\n    return server_args.tp_size\n")
    scan(root, cache)
    (root / "srt/other.py").write_text("server_args = 2\n", encoding="utf-8")
    assert lines(scan(root, cache), os.fsdecode(b"\xff.py")) == ["read supplied tp_size"]


def test_a_part_is_judged_with_what_its_own_files_say_now(tmp_path: Path) -> None:
    user = "from .base import helper\ndef f():\n    return helper().tp_size\n"
    root, cache = (
        tree(tmp_path, {"base.py": "def helper():\n    return 1\n", "user.py": user}),
        tmp_path / "cache",
    )
    scan(root, cache)
    (root / "srt/base.py").write_text(BASE, encoding="utf-8")
    kept = Cache.open(cache)
    part = WorkTree.open(root, only=["srt/user.py", "srt/base.py"])
    plan = plan_of(opened(root, kept), namespaces=True)
    found = Scanner(plan, part, kept, 1, str(root)).scan_part()
    assert lines(found, "user.py") == READ
