"""A program that goes from tree to tree says what a new one would, and asks again only where it must."""

from __future__ import annotations

import ast
import random

import pytest

from ratchet.model import Problem
from ratchet.reach import (
    Entries,
    Narrow,
    Node,
    Program,
    Reach,
    Root,
    Traversal,
    Values,
    find_entries,
    keywords_of,
)
from ratchet.reach.file import File
from tests.reach.small import PUBLISHING, Texts, program

Answer = tuple[Entries, Reach, tuple[object, ...], tuple[Problem, ...]]

FILES = {
    "a.py": (
        "from shop.context import publish\nfrom shop.tools import hammer as tool\n"
        "from shop.base import Base\nfrom shop.gone import lost\nimport shop.kit\nimport mp\n\n\n"
        "class Till(Base):\n    def __init__(self):\n        self.drawer = tool\n\n"
        "    def ring(self):\n        self.drawer()\n        self.close()\n\n\n"
        "def start(record):\n    publish(record, role='till')\n    Till().ring()\n    lost()\n"
        "    shop.kit.saw.cut()\n\n\n"
        "def begin():\n    mp.Process(target=start).start()\n"
    ),
    "apart.py": "def apart():\n    pass\n",
    "base.py": "class Base:\n    def close(self):\n        lock()\n\n\ndef lock():\n    pass\n",
    "context.py": "SETS = {'till': {'exec'}}\n\n\ndef publish(record, *, role): ...\n",
    "hand.py": "import mp\ndef spawn(f):\n    mp.Process(target=f)\n",
    "idle.py": "def idle():\n    pass\n",
    "on.py": "from shop.hand import spawn\nfrom shop.idle import idle\n\n\ndef on():\n    spawn(idle)\n",
    "side.py": "def main():\n    pass\n",
    "tools/__init__.py": "from shop.tools.iron import hammer\n",
    "tools/iron.py": "def hammer():\n    strike()\n\n\ndef strike():\n    pass\n",
}
PUBLISH = "from shop.context import publish\n"


def asked(made: Program) -> Answer:
    """What a program is asked: everything that is found out of it."""
    values = Values(made)
    found = find_entries(made, values, PUBLISHING)
    narrow = Narrow(made, values, PUBLISHING, ("clerk",))
    walk = Traversal(made, values, [Root(Node("a.py", "start"))]).whole()
    declared = made.assigned("context.py", "SETS")
    told = ast.dump(declared) if isinstance(declared, ast.expr) else declared
    return found, walk, (narrow.publishes, narrow.begins(Node("a.py", "start")), told), made.problems()


def changed(files: dict[str, str], changes: dict[str, str | None]) -> dict[str, str]:
    """The files after some changed; None is one that is no more."""
    return {path: text for path, text in {**files, **changes}.items() if text is not None}


SAME = {
    "a comment at the end": {"a.py": f"{FILES['a.py']}# done\n"},
    "a file that nobody asks for": {"side.py": "def main():\n    return 1\n"},
    "a comment in a call's file": {"on.py": FILES["on.py"].replace("(idle)", "(idle)  # now")},
    "a function that nobody calls, below": {"base.py": f"{FILES['base.py']}\n\ndef other():\n    lock()\n"},
    "another body of a function that is not reached": {"side.py": "def main():\n    return\n"},
    "another way to write the same": {"tools/iron.py": FILES["tools/iron.py"].replace("()", "( )")},
    "a new file that nobody asks for": {"new.py": "def new():\n    pass\n"},
    "a file that nobody asked for goes": {"apart.py": None},
    "a file takes another's place": {"apart.py": None, "moved.py": FILES["apart.py"]},
    "the same bytes": {"a.py": FILES["a.py"]},
}
OTHER = {
    "a call less": {"base.py": FILES["base.py"].replace("        lock()\n", "        pass\n")},
    "other lines": {"tools/iron.py": f"# first\n{FILES['tools/iron.py']}"},
    "another file defines it": {"tools/__init__.py": "from shop.base import lock as hammer\n"},
    "what is imported goes": {"tools/iron.py": None},
    "what was missing comes": {"gone.py": "def lost():\n    pass\n"},
    "so does a folder": {"kit/saw.py": "def cut():\n    pass\n"},
    "a folder's name": {"tools.py": "def hammer():\n    pass\n", "tools/__init__.py": None},
    "another is handed over": {"on.py": FILES["on.py"].replace("(idle)", "(spawn)")},
    "another publishes": {"apart.py": f"{PUBLISH}def idle(r):\n    publish(r, role='cook')\n"},
    "another set is declared": {"context.py": FILES["context.py"].replace("exec", "spec")},
    "a new script": {"new.py": "def go():\n    pass\n\n\nif __name__ == '__main__':\n    go()\n"},
    "a process more": {"apart.py": "import mp\ndef idle():\n    mp.Process(target=idle)\n"},
    "a file that does not parse": {"base.py": "class Base(:\n"},
    "a function that does not parse": {"base.py": FILES["base.py"].replace("pass", "pass pass")},
}


@pytest.mark.parametrize(
    ("changes", "same"),
    [*((changes, True) for changes in SAME.values()), *((changes, False) for changes in OTHER.values())],
    ids=[*SAME, *OTHER],
)
def test_what_was_asked_is_asked_again_where_it_changed(changes: dict[str, str | None], same: bool) -> None:
    made, _ = program(FILES)
    before = asked(made)
    files = changed(FILES, changes)
    assert made.follow(Texts(files), changes.keys()) is same
    fresh = asked(program(files)[0])
    assert (fresh == before) is same
    assert asked(made) == fresh


STEPS: tuple[tuple[dict[str, str | None], bool], ...] = (
    ({"base.py": FILES["base.py"]}, True),
    ({"base.py": FILES["base.py"].replace("pass", "pass pass")}, False),
    ({"a.py": FILES["a.py"].replace("        self.close()\n", "")}, False),
    ({"a.py": FILES["a.py"].replace("Base", "Other").replace("        self.close()\n", "")}, False),
    ({"base.py": "class Base:\n    pass\n"}, True),
    ({"a.py": FILES["a.py"]}, False),
    ({"base.py": "class Base(:\n"}, False),
    ({"a.py": FILES["a.py"].replace("from shop.base import Base\n", "")}, False),
)


def test_what_is_asked_no_more_counts_no_more() -> None:
    files = dict(FILES)
    made, _ = program(files)
    told = asked(made)
    for changes, same in STEPS:
        files = changed(files, changes)
        assert made.follow(Texts(files), changes.keys()) is same
        told = told if same else asked(made)
        assert told == asked(program(files)[0])


CODE = """\
from shop import x
from shop.y import *
import mp

SETS = {}


class A:
    @mark
    def f(self, a):
        self.b = a
        return g(1)


mp.Process(target=x)
publish(role='till')

if __name__ == '__main__':
    A()
"""
QUESTIONS: dict[str, tuple[tuple[str, ...], str, str]] = {  # what is asked, and what makes another answer
    "arguments": (("A.f", "g"), "g(1)", "g(x)"),
    "around": (("return",), "return g", "return h"),
    "assigned": (("SETS",), "{}", "{'till': 1}"),
    "attributes": (("A", "b"), "self.b", "self.c"),
    "defines": (("run",), "SETS", "def run():\n    pass\n\n\nSETS"),
    "holds": (("mark", "self"), "@mark", "@other"),
    "is_script": ((), "__main__", "main"),
    "kind": (("A.f",), "def f", "def e"),
    "literals": (("role",), "'till'", "'desk'"),
    "main": ((), "    A()", "    A(\n    )"),
    "marks": (("A.f",), "@mark", "@other"),
    "methods": (("A",), "def f", "def e"),
    "names": (("mark",), "@mark", "@marked"),
    "parameters": (("A.f",), "a):", "a, b):"),
    "scope": (("A.f",), "g(1)", "h(1)"),
    "stars": ((), "shop.y", "shop.z"),
    "targets": ((r"target=",), "=x", "=y"),
}


@pytest.mark.parametrize(("question", "given"), QUESTIONS.items(), ids=QUESTIONS)
def test_each_answer_is_noted(question: str, given: tuple[tuple[str, ...], str, str]) -> None:
    about, old, new = given
    keywords = keywords_of(PUBLISHING)
    file, same, other = (
        File("a.py", text.encode(), "shop.a", False, keywords)
        for text in (CODE, f"{CODE}# the end\n", CODE.replace(old, new))
    )
    asked = getattr(file, question)
    assert (asked(*about) if callable(asked) else asked) is not None
    assert same.agrees(file)
    assert not other.agrees(file)


def test_no_question_is_left_out() -> None:
    noted = {name.lstrip("_") for name, found in vars(File).items() if hasattr(found, "__wrapped__")}
    assert noted == QUESTIONS.keys()


PIECES = (
    "def hammer():\n    strike()\n",
    "def strike():\n    pass\n",
    "from shop.tools.iron import hammer\n",
    "from shop.base import Base, lock\n",
    "class Base:\n    def close(self):\n        hammer()\n        self.ring()\n",
    "class Other(Base):\n    def ring(self):\n        lock()\n",
    "def lock():\n    Other().close()\n",
    "def desk(r):\n    publish(r, role='desk')\n",
    f"{PUBLISH}",
    "import mp\ndef go():\n    mp.Process(target=lock).start()\n",
    "from shop.hand import spawn\ndef use():\n    spawn(strike)\n",
    "if __name__ == '__main__':\n    hammer()\n",
    "# hammer, Base, publish(role='x')\n",
    "def broken(:\n",
)


@pytest.mark.parametrize("seed", range(6))
def test_random_changes(seed: int) -> None:
    chance = random.Random(seed)
    files = dict(FILES)
    made, _ = program(files)
    told, kept = asked(made), 0
    for _ in range(40):
        path = chance.choice([*FILES, "new.py", "tools/wood.py"][1:])
        kind = chance.random()
        text = "\n\n".join(chance.sample(PIECES[: -1 if chance.random() < 0.9 else None], 3))
        was = files.get(path, "")
        changes = {path: None if kind < 0.15 else f"{was}# more\n" if kind < 0.5 else text}
        files = changed(files, changes)
        if made.follow(Texts(files), changes.keys()):
            kept += 1
        else:
            told = asked(made)
        assert told == asked(program(files)[0])
    assert 5 < kept < 35
