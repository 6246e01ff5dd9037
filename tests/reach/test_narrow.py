"""What is looked up on the way is what finding all entries says."""

from __future__ import annotations

import pytest

from ratchet.reach import Known, Narrow, Node, find_entries
from tests.reach.small import PUBLISHING, program

CONTEXT = "def publish(record, *, role): ...\n"
LEGACY = "from shop.context import publish\ndef install(record): publish(record, role='clerk')\n"
TILL = """
from shop.context import publish
ROLE = "till"
def run(r):
    publish(r, role="till")
def named(r):
    publish(r, role=ROLE)
"""

STARTS = {
    "defined-here": "import mp\ndef go(): ...\ndef run(): mp.Process(target=go).start()",
    "imported": "import mp\nfrom shop.work import (\n    go,\n    stop,\n)\ndef run(): mp.Process(target=go)",
    "through-its-module": "import mp\nfrom shop import work\ndef run(): mp.Process(name='x', target=work.go)",
    "under-another-name": "import mp\nfrom shop.work import go as went\ndef run(): mp.Process(target=went)",
    "assigned": "import mp\nfrom shop.work import go\ndef run():\n    f = go\n    mp.Process(target=f)",
    "a-method": "import mp\nclass A:\n    def go(self): ...\n    def run(self): mp.Process(target=self.go)",
    "parked": (
        "import mp\nfrom shop.work import go\nclass A:\n    def __init__(self): self.f = go\n"
        "    def run(self): mp.Process(target=self.f)"
    ),
    "handed-over": "import mp\nfrom shop.work import go\ndef run(f): mp.Process(target=f)\ndef on(): run(go)",
    "a-thread": "import threading\nfrom shop.work import go\ndef run(): threading.Thread(target=go)",
    "declared": "def other(): ...",
    "a-script": "def other(): ...\nif __name__ == '__main__':\n    other()",
}


@pytest.mark.parametrize("code", STARTS.values(), ids=STARTS)
def test_what_begins_a_process(code: str) -> None:
    files = {
        "a.py": code,
        "work.py": "def go(): ...\ndef stop(): ...",
        "side.py": "def main(): ...",
        "context.py": CONTEXT,
    }
    made, values = program(files)
    known = Known(find_entries(made, values, PUBLISHING))
    scopes = [Node(path, name) for path in files for name, _ in made.calls(path).around("(?m)^")]
    narrow = Narrow(*program(files), PUBLISHING, ())
    assert {node for node in scopes if narrow.begins(node)} == {node for node in scopes if known.begins(node)}
    assert known.begins(Node("side.py", "main"))


LOUD = {
    "all": ((), "till clerk guest"),
    "till": (("clerk", "guest"), "till"),
    "none": (("till", "clerk"), "guest"),
}


@pytest.mark.parametrize(("quiet", "loud"), LOUD.values(), ids=LOUD)
def test_the_roles_that_are_not_quiet_are_found(quiet: tuple[str, ...], loud: str) -> None:
    files = {
        "till.py": TILL,
        "desk.py": "from shop.legacy import install\ndef run(r): install(r)",
        "door.py": "from shop.context import publish as p\ndef run(r): p(r, role='guest')",
        "context.py": CONTEXT,
        "legacy.py": LEGACY,
    }
    made, values = program(files)
    everything = find_entries(made, values, PUBLISHING).publishes
    found = Narrow(*program(files), PUBLISHING, quiet).publishes
    assert set(found) <= set(everything)
    wanted = {item for item in everything if item.role in loud.split()}
    assert wanted
    assert wanted == {item for item in found if item.role in loud.split()}


def test_a_file_that_cannot_be_read_is_no_quiet_one() -> None:
    broken = "from shop.context import publish\ndef run(r): publish(r, role=ROLE"
    made, values = program({"a.py": broken, "context.py": CONTEXT})
    assert Narrow(made, values, PUBLISHING, ["till"]).publishes == ()
    assert [problem.path for problem in made.problems()] == ["a.py"]
