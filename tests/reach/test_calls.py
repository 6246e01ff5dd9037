"""Scopes that are walked when they are asked for say what they say when the whole file is walked."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from ratchet.reach.calls import FileCalls
from ratchet.reach.extract import Keywords

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


def calls(source: str) -> FileCalls:
    text = dedent(source)
    return FileCalls(ast.parse(text), text, "shop.a", False, Keywords("role", (("run", "target"),)))


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_a_scope_is_the_same_whatever_was_asked_before(source: str) -> None:
    finished = calls(source)
    everything = dict(finished.all())
    assert len(everything) > 2
    for name, facts in everything.items():
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
    assert found == expected.get(name, [])


def test_only_the_scopes_around_some_lines_are_walked() -> None:
    source = SOURCES["nested"]
    line = dedent(source).split("\n").index("            def innermost(): ring(x)".removeprefix("    ")) + 1
    around = [name for name, _ in calls(source).around([line])]
    assert around == ["", "outer", "outer.inner", "outer.inner.innermost"]
    assert [name for name, _ in calls(source).around([2])] == [""]
