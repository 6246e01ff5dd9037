"""Scopes that are walked when they are asked for say what they say when the whole file is walked."""

from __future__ import annotations

from textwrap import dedent

import pytest

from ratchet.model import Problem
from ratchet.reach.calls import FileCalls, stores
from ratchet.reach.facts import Keywords, ScopeFacts

SOURCES = {
    "nested": """
        from shop.till import count
        def outer(x):
            from shop.till import ring
            def inner():
                def innermost(): ring(x)
                return innermost
            return inner()
        """,
    "a-global-bound-inside": """
        import shop.till
        box = None
        def fill():
            def deeper():
                global box
                box = shop.till.Box()
            deeper()
        def use(): box.open()
        """,
    "globals-as-they-are-written": """
        def fill(): global box; box = Box()
        def tin():
            global can, \\
                lid  # both
            can = lid = Can()
        def heap():
            global pile
            pile = Pile()
        def use(): box.open(can.lid, lid.can, pile)  # global words
        """,
    "attributes": """
        class Clerk:
            name: str = ""
            def hire(self, till: Till, tills):
                self.till = till
                self.other: Till = till
                for self.each in tills: ...
                with till as self.held: ...
                def later():
                    self.late = Till()
            def work(self): self.till.ring(self.absent)
        """,
    "defined-twice": """
        try:
            from shop.till import ring
        except ImportError:
            def ring(): first()
            def ring(): second()
        def first(): ...
        def second(): ...
        class A:
            if True:
                def act(self): first()
            else:
                def act(self): second()
        """,
    "a-script": """
        def go(): ...
        if __name__ == "__main__":
            def own(): go()
            own()
        """,
    "handlers": """
        app = App()
        @app.get("/")
        def page(): helper()
        def helper(default=page): app.run(target=default)
        """,
}


WHOLE = "\n# \f"
"""What makes a parser see a text as a whole, functions with their bodies."""


def calls(source: str, end: str = "") -> FileCalls:
    return FileCalls("a.py", dedent(source) + end, "shop.a", False, Keywords("role", (("run", "target"),)))


def everything(found: FileCalls) -> dict[str, ScopeFacts]:
    return dict(found.around(range(1, 100)))


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_a_scope_is_the_same_whatever_was_asked_before(source: str) -> None:
    facts_of = everything(calls(source))
    assert len(facts_of) > 2
    assert everything(calls(source, WHOLE)) == facts_of
    for name, facts in facts_of.items():
        assert calls(source).scope(name) == facts
        assert calls(source).kind(name) == facts.kind
    assert calls(source).kind("absent") is None


@pytest.mark.parametrize("name", ["till", "other", "each", "held", "late", "absent", "name"])
def test_attributes_are_found_wherever_they_are_stored(name: str) -> None:
    found = calls(SOURCES["attributes"]).attributes("Clerk", name)
    expected = {
        "till": [("Clerk.hire", "till")],
        "other": [("Clerk.hire", "@Till"), ("Clerk.hire", "till")],
        "each": [("Clerk.hire", "tills[]")],
        "held": [("Clerk.hire", "till")],
        "late": [("Clerk.hire.later", "Till()")],
    }
    assert [*found] == expected.get(name, [])


def test_only_the_scopes_around_some_lines_are_walked() -> None:
    source = SOURCES["nested"]
    line = dedent(source).split("\n").index("            def innermost(): ring(x)".removeprefix("    ")) + 1
    around = [name for name, _ in calls(source).around([line])]
    assert around == ["", "outer", "outer.inner", "outer.inner.innermost"]
    assert [name for name, _ in calls(source).around([2])] == [""]


STORED = {
    "self.till = 1": True,
    "self.till: int": True,
    "self.till = self.other = 1": True,
    "(self.till) = 1": True,
    "(self.till  # why\n) = 1": True,
    "self . till = 1": True,
    "self.\\\n    till = 1": True,
    "for self.till in x: ...": True,
    f"for (\n{' ' * 200}self  # whose\n{' ' * 200}.till) in x: ...": True,
    "with x as self.till: ...": True,
    "with x as self.till:\n    pass": True,
    "self.till: \\\n    int": True,
    "self.till: (\n    int\n)": True,
    "self.till == 1": False,
    "self.till(x=1)": False,
    "if self.till:\n    pass": False,
    "while (self.till):  # why\n    pass": False,
    "till = self.tills": False,
    "x = self.till\n": False,
}


@pytest.mark.parametrize(("code", "found"), STORED.items(), ids=STORED)
def test_lines_on_which_an_attribute_may_be_stored(code: str, found: bool) -> None:
    assert ("till" in stores(code)) is found


def test_a_function_that_does_not_parse_is_a_problem_where_it_is_asked_for() -> None:
    found = calls("""
        def good(): ...
        def bad():
            return (1
        def other():
            good()
        """)
    assert found.scope("other").uses
    assert found.problem is None
    assert not found.scope("bad").uses
    assert found.problem == Problem("a.py", 4, "does not parse: '(' was never closed")
