"""What roles read, what is declared for them, what a set cannot answer for, and who publishes nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ratchet.checking.roles import remembered, show_roles
from ratchet.errors import JudgeError, UsageError
from ratchet.roles.model import Role
from ratchet.session import Options, only_one, open_sessions
from tests.roles.engine import CONTEXT, DRAWER, TILL, plant, roles_of, ways


def till_of(root: Path, engine: str = "0.5.20") -> Role:
    """The role `till` of a tree."""
    report = roles_of(root, engine=engine).report
    assert report is not None
    role = report.role("till")
    assert role is not None
    return role


def test_a_declared_set_that_reads_contradict(tmp_path: Path) -> None:
    root = plant(tmp_path, {})
    shown = roles_of(root)
    till = till_of(root)
    assert shown.exit_code == 1
    assert till.own == {"exec"}
    assert till.names("reached") == till.proposed == {"exec", "schedule"}
    assert till.declared == frozenset({"exec"})
    assert [read.access.code for read in till.undeclared] == ["get_schedule().page_size"]
    assert ways(root, "till", "schedule") == [[("srt/managers/till.py", 10), ("srt/managers/drawer.py", 9)]]
    assert ways(root, "till", "exec.moe") == [[("srt/managers/till.py", 9)]]
    assert ways(root, "till", "exec.comm") == []


def test_a_declared_set_that_holds(tmp_path: Path) -> None:
    root = plant(tmp_path, {"srt/managers/drawer.py": DRAWER.replace("get_schedule().page_size", "1")})
    assert roles_of(root).exit_code == 0
    assert till_of(root).undeclared == ()


TABLES = {
    "picked-by-its-key": ("Drawer(server_args)", "ALL[server_args.kind](server_args)", True),
    "got": ("Drawer(server_args)", "ALL.get(server_args.kind)(server_args)", True),
    "by-a-helper": ("Drawer(server_args)", "pick(server_args.kind)(server_args)", True),
    "by-a-name": ("Drawer(server_args).open()", "made = pick(1)\n        made(server_args).open()", True),
    "named": ("Drawer(server_args)", "Drawer(server_args)", False),
    "the-only-one": ("Drawer(server_args)", "ONE[server_args.kind](server_args)", False),
}
PICKING = """
class Box:
    def open(self): ...

ALL = {"drawer": Drawer, "box": Box}
ONE = {"drawer": Drawer}

def pick(kind):
    table = {1: Drawer, 2: Box}
    return table.get(kind)
"""


@pytest.mark.parametrize(("code", "instead", "picked"), TABLES.values(), ids=TABLES)
def test_a_way_says_where_it_takes_any_element_of_a_table(
    tmp_path: Path, code: str, instead: str, picked: bool
) -> None:
    root = plant(tmp_path, {"srt/managers/till.py": TILL.replace(code, instead) + PICKING})
    (read,) = (read for read in till_of(root).reads if read.namespace == "schedule")
    assert [hop.table for hop in read.way] == [picked, False]


NO_READS = {
    "before-the-publish": "def run_till(server_args):\n    get_schedule().page_size\n"
    "    publish(server_args, role='till')\n",
    "never-called": "def run_till(server_args):\n    publish(server_args, role='till')\n"
    "def f():\n    get_schedule().page_size\n",
    "a-write": "def run_till(server_args):\n    publish(server_args, role='till')\n"
    "    get_context().override('till', page_size=1)\n",
    "a-live-value": "def run_till(server_args):\n"
    "    publish(server_args, role='till')\n    get_parallel().tp_size\n",
    "another-process": "import mp\ndef go():\n    get_schedule().page_size\n"
    "def run_till(server_args):\n    publish(server_args, role='till')\n    mp.Process(target=go)\n",
}
NAMES = "from sglang.srt.runtime_context import get_context, get_parallel, get_schedule, publish\n"


@pytest.mark.parametrize("code", NO_READS.values(), ids=NO_READS)
def test_what_no_set_has_to_allow(tmp_path: Path, code: str) -> None:
    assert till_of(plant(tmp_path, {"srt/managers/till.py": NAMES + code})).names("reached") == set()


def test_a_namespace_that_an_engine_refuses_nobody(tmp_path: Path) -> None:
    body = "    publish(server_args, role='till')\n    get_parallel().enable_dp_attention\n"
    code = f"def run_till(server_args):\n{body}"
    root = plant(tmp_path, {"srt/managers/till.py": NAMES + code})
    assert till_of(root, "0.5.17").names("reached") == set()
    assert till_of(root, "0.5.20").names("reached") == {"parallel"}


def test_reads_before_the_publish(tmp_path: Path) -> None:
    code = (
        "def run_till(server_args):\n    check()\n    publish(server_args, role='till')\n"
        "def check():\n    return get_schedule().page_size\n"
    )
    till = till_of(plant(tmp_path, {"srt/managers/till.py": NAMES + code}))
    assert [[hop.line for hop in read.way] for read in till.early] == [[3, 6]]


UNSAFE = {
    "record-read": ("    server_args.page_size\n", "schedule"),
    "computed-name": ("    getattr(get_schedule(), server_args)\n", "schedule"),
    "whole-bag": ("    print(get_schedule())\n", "schedule"),
    "unresolved-call": ("    table = server_args.table()\n    table['x']()\n", None),
}


@pytest.mark.parametrize(("risk", "case"), UNSAFE.items(), ids=UNSAFE)
def test_what_a_set_cannot_answer_for(tmp_path: Path, risk: str, case: tuple[str, str | None]) -> None:
    body, namespace = case
    code = f"def run_till(server_args):\n    publish(server_args, role='till')\n{body}"
    till = till_of(plant(tmp_path, {"srt/managers/till.py": NAMES + code}))
    assert [(item.risk, item.namespace) for item in till.unsafe] == [(risk, namespace)]


CALLED = {
    "a-name": ("    made = server_args.make()\n    made()\n", "made: callable"),
    "what-an-expression-gives": ("    (server_args or 1)()\n", "(an expression): callable"),
    "an-element": ("    server_args.table()['x']()\n", "(an expression)[]: table"),
    "a-computed-name": ("    getattr(server_args, server_args)()\n", "(an expression).*: computed"),
}


@pytest.mark.parametrize(("body", "text"), CALLED.values(), ids=CALLED)
def test_a_call_that_cannot_be_followed_says_what_it_calls(tmp_path: Path, body: str, text: str) -> None:
    code = f"def run_till(server_args):\n    publish(server_args, role='till')\n{body}"
    till = till_of(plant(tmp_path, {"srt/managers/till.py": NAMES + code}))
    assert [item.text for item in till.unsafe if item.risk == "unresolved-call"] == [text]


def test_a_possible_read_contradicts_nothing(tmp_path: Path) -> None:
    code = TILL.replace(
        "Drawer(server_args).open()", "Drawer(server_args)\n        server_args.made().open()"
    )
    root = plant(
        tmp_path,
        {
            "srt/managers/till.py": code.replace("open()", "unlock()"),
            "srt/managers/drawer.py": DRAWER.replace("open", "unlock"),
        },
    )
    till = till_of(root)
    assert till.names("possible") == {"schedule"}
    assert till.undeclared == ()
    assert "possible-read" in {item.risk for item in till.unsafe}


def test_processes_that_publish_nothing(tmp_path: Path) -> None:
    side = (
        "import multiprocessing as mp\nfrom sglang.srt.managers.drawer import Drawer\n"
        "def side(server_args):\n    Drawer(server_args).open()\n"
        "def start(server_args):\n    mp.Process(target=side, args=(server_args,))\n"
    )
    report = roles_of(plant(tmp_path, {"srt/managers/side.py": side})).report
    assert report is not None
    found = [
        (item.process.node.scope, [read.namespace for read in item.reads]) for item in report.unpublished
    ]
    assert found == [("side", ["schedule"])]


FAULTS = {
    "no-table": CONTEXT.replace("ROLE_NAMESPACE_SETS", "SETS"),
    "a-computed-table": CONTEXT.replace('frozenset({"exec"})', "frozenset(make())"),
    "a-computed-role": CONTEXT.replace('"till":', "TILL:"),
}


@pytest.mark.parametrize("context", FAULTS.values(), ids=FAULTS)
def test_a_table_that_cannot_be_read_is_no_set_that_holds(tmp_path: Path, context: str) -> None:
    with pytest.raises(JudgeError):
        roles_of(plant(tmp_path, {"srt/runtime_context.py": context}))


def test_a_tree_that_publishes_nothing_is_not_clean(tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match="publishes"):
        roles_of(plant(tmp_path, {"srt/managers/till.py": ""}))


def test_a_file_on_the_way_that_does_not_parse_is_not_clean(tmp_path: Path) -> None:
    root = plant(tmp_path, {"srt/managers/drawer.py": "def open(:\n"})
    shown = roles_of(root)
    assert shown.exit_code == 3
    assert shown.report is not None
    assert [(item.path, item.line) for item in shown.report.problems] == [("srt/managers/drawer.py", 1)]


# A rule about module state looks at this file; nothing that it says is of the record or a namespace.
FAR = "srt/layers/dp_attention.py"
KEEP = "def keep():\n    global kept\n    kept = (\n"


@pytest.mark.parametrize("checked", [False, True])
def test_a_file_that_only_other_rules_look_at_is_no_problem_of_roles(tmp_path: Path, checked: bool) -> None:
    drawer = DRAWER.replace("get_schedule().page_size", "0")
    root, cache = plant(tmp_path, {"srt/managers/drawer.py": drawer, FAR: KEEP}), tmp_path / "cache"
    if checked:
        options = Options(root=root, packs=("sglang",), jobs=1, engine="0.5.20", cache_dir=cache)
        with open_sessions(options, cwd=root) as sessions:
            session = only_one(sessions)
            census = session.count(session.tree(session.work_tree())).census
        assert [problem.path for problem in census.problems] == [FAR]
    shown = roles_of(root, cache=cache)
    assert (shown.exit_code, shown.census.problems) == (0, ())


def test_unknown_roles_and_namespaces_are_named(tmp_path: Path) -> None:
    root = plant(tmp_path, {})
    with pytest.raises(UsageError, match="till"):
        ways(root, "tll", "exec")
    with pytest.raises(UsageError, match="exec"):
        ways(root, "till", "exce")


def test_an_answer_is_remembered_until_a_file_changes(tmp_path: Path) -> None:
    root, made = plant(tmp_path, {}), [0]

    def asked(*question: str) -> str:
        time.sleep(0.1)  # a file that has just been written may change again unseen, so it is not remembered
        options = Options(root=root, packs=("sglang",), jobs=1, engine="0.5.20", cache_dir=tmp_path / "cache")
        with open_sessions(options, cwd=root) as sessions:
            session = only_one(sessions)

            def answer() -> str:
                made[0] += 1
                report = show_roles(session, (), question).report
                assert report is not None
                return str(sorted(read.namespace for role in report.roles for read in role.undeclared))

            return remembered(session, question, answer)

    assert asked("till") == asked("till") == "['schedule']"
    assert made == [1]
    (root / "srt/managers/drawer.py").write_text(DRAWER.replace("get_schedule().page_size", "0"))
    assert asked("till") == "[]"
    assert asked() == "[]"
    assert made == [3]
