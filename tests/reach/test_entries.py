"""Where processes begin, where they publish, and what runs before and after."""

from __future__ import annotations

import pytest

from ratchet.reach import Known, Node, Traversal, before_publish, find_entries, frames_of
from tests.reach.small import PUBLISHING, entries, program

CONTEXT = "def publish(record, *, role): ...\nSETS = {}\n"
LEGACY = "from shop.context import publish\ndef install(record): publish(record, role='clerk')\n"

PUBLISHES = {
    "a-literal": ("from shop.context import publish\ndef run(r): publish(r, role='till')", ["till"]),
    "renamed": ("from shop.context import publish as p\ndef run(r): p(r, role='till')", ["till"]),
    "through-the-module": ("from shop import context\ndef run(r): context.publish(r, role='till')", ["till"]),
    "a-constant": (
        "from shop.context import publish\nROLE = 'till'\ndef run(r): publish(r, role=ROLE)",
        ["till"],
    ),
    "either": (
        "from shop.context import publish\ndef run(r, x): publish(r, role='a' if x else 'b')",
        ["a", "b"],
    ),
    "a-wrapper": ("from shop.legacy import install\ndef run(r): install(r)", ["clerk"]),
    "no-constant": ("from shop.context import publish\ndef run(r, role): publish(r, role=role)", [None]),
    "another-publish": ("from shop.events import publish\ndef run(r): publish(r, role='till')", []),
    "a-method": ("def run(bus, r): bus.publish(r, role='till')", []),
}


@pytest.mark.parametrize(("code", "roles"), PUBLISHES.values(), ids=PUBLISHES)
def test_publishing_calls(code: str, roles: list[str | None]) -> None:
    found = entries(
        {"a.py": code, "context.py": CONTEXT, "legacy.py": LEGACY, "events.py": "def publish(e, role): ..."}
    )
    assert [publish.role for publish in found.publishes] == roles


PROCESSES = {
    "a-target": (
        "import multiprocessing as mp\ndef go(): ...\ndef run(): mp.Process(target=go).start()",
        [("go", "target")],
    ),
    "of-a-context": (
        "import mp\ndef go(): ...\ndef run(): mp.get_context('spawn').Process(target=go)",
        [("go", "target")],
    ),
    "a-default": ("import mp\ndef go(): ...\ndef run(f=go): mp.Process(target=f)", [("go", "target")]),
    "a-script": ("def go(): ...\nif __name__ == '__main__':\n    go()", [("__main__", "script")]),
    "a-thread": ("import threading\ndef go(): ...\ndef run(): threading.Thread(target=go)", []),
    "an-imported-module": ("def go(): ...\nif __name__ == 'a':\n    go()", []),
}


@pytest.mark.parametrize(("code", "expected"), PROCESSES.values(), ids=PROCESSES)
def test_processes(code: str, expected: list[tuple[str, str]]) -> None:
    assert [(process.node.scope, process.via) for process in entries({"a.py": code}).processes] == expected


def test_a_module_of_a_command_line_is_a_process() -> None:
    command = "import subprocess, sys\ndef run(): subprocess.Popen([sys.executable, '-m', 'shop.b', '--x'])"
    found = entries({"a.py": command, "b.py": "def go(): ...\nif __name__ == '__main__':\n    go()"})
    assert [(process.node, process.via) for process in found.processes] == [
        (Node("b.py", "__main__"), "module")
    ]


def test_a_declared_process_and_a_target_that_nobody_can_name() -> None:
    found = entries({"a.py": "import mp\ndef run(f): mp.Process(target=f)", "side.py": "def main(): ..."})
    assert [(process.node.scope, process.via) for process in found.processes] == [("main", "declared")]
    assert found.unknown == ((Node("a.py", "run"), 2, "f"),)


HANDED = {
    "by-place": ("def run(x, f): mp.Process(target=f)\ndef main(): run(1, go)", ["go"], False),
    "by-name": ("def run(x, *, f): mp.Process(target=f)\ndef main(): run(1, f=go)", ["go"], False),
    "by-two": (
        "def run(f): mp.Process(target=f)\ndef main():\n    run(go)\n    run(stop)",
        ["go", "stop"],
        False,
    ),
    "through-two": (
        "def run(f: Callable): mp.Process(target=f)\ndef on(g): run(g)\ndef main(): on(f2)\nf2 = go",
        ["go"],
        False,
    ),
    "to-a-method": (
        "class A:\n    def run(self, f): mp.Process(target=f)\n    def main(self): self.run(go)",
        ["go"],
        False,
    ),
    "parked": (
        "class A:\n    def __init__(self, f):\n        self.f = f\n"
        "    def run(self): mp.Process(target=self.f)\ndef main(): A(go)",
        ["go"],
        False,
    ),
    "in-an-inner-function": (
        "def run(f):\n    def inner(): mp.Process(target=f)\n    return inner\ndef main(): run(go)",
        ["go"],
        False,
    ),
    "none": ("def run(f): mp.Process(target=f)\ndef main():\n    run(None)\n    run(go)", ["go"], False),
    "one-is-not-told": (
        "def run(f): mp.Process(target=f)\ndef main(x):\n    run(x.made())\n    run(go)",
        ["go"],
        True,
    ),
    "stars": ("def run(f): mp.Process(target=f)\ndef main(x): run(*x)", [], True),
    "not-handed": ("def run(f): mp.Process(target=f)\ndef main(): run(h=go)", [], True),
    "itself": ("def run(f):\n    mp.Process(target=f)\n    run(f)", [], True),
}


@pytest.mark.parametrize(("code", "expected", "unknown"), HANDED.values(), ids=HANDED)
def test_a_target_that_is_a_parameter_is_what_its_calls_hand_over(
    code: str, expected: list[str], unknown: bool
) -> None:
    found = entries({"a.py": f"import mp\ndef go(): ...\ndef stop(): ...\n{code}\n"})
    assert [process.node.scope for process in found.processes] == expected
    assert bool(found.unknown) is unknown


ORDER = """
from shop.context import publish
def early(): ...
def late(): ...
def after(): ...
def other(): ...
def run(r):
    early()
    publish(r, role="till")
    late()
def main(r, kind):
    if kind:
        run(r)
    else:
        other()
    after()
if __name__ == "__main__":
    main(None, 1)
"""


def test_what_runs_before_and_after() -> None:
    made, values = program({"a.py": ORDER, "context.py": CONTEXT})
    found = find_entries(made, values, PUBLISHING)
    publish = found.publishes[0]
    begins = Known(found).begins
    frames = frames_of(made, values, publish, begins)
    assert [frame.node.scope for frame in frames.roots] == ["run", "main", "__main__"]
    ran = {node.scope for node in Traversal(made, values, frames.roots).whole().steps}
    assert {"late", "after"} <= ran
    assert not {"early", "other"} & ran
    ran_before = Traversal(made, values, before_publish(made, frames, found.publishes, begins)).whole().steps
    assert Node("a.py", "early") in ran_before
    assert Node("a.py", "late") not in ran_before


def test_a_file_that_does_not_parse_is_a_problem() -> None:
    made, values = program(
        {"a.py": "from shop.context import publish\ndef run(r): publish(r, role=", "context.py": CONTEXT}
    )
    assert find_entries(made, values, PUBLISHING).publishes == ()
    assert [problem.path for problem in made.problems()] == ["a.py"]
