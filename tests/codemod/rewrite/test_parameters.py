"""Parameters that became dead: trees before and after, and calls for which a parameter stays."""

from __future__ import annotations

import pytest

from ratchet.codemod.model import Drop, Rewritten
from ratchet.codemod.proof import prove
from tests.codemod.parameters_of import NET, STYLE, moved, tree_of

READ = "def wait(settings):\n    return settings.timeout\n"
READ_AFTER = f"{NET}\n\ndef wait():\n    return get_net().timeout\n"

# A tree before, and the files of it that change, as they are after.
DROPPED = {
    "nobody calls it": ({"a.py": READ}, {"a.py": READ_AFTER}),
    "a call in another file": (
        {"a.py": READ, "b.py": "from shop.a import wait\n\ndef f(settings):\n    return wait(settings)\n"},
        {"a.py": READ_AFTER, "b.py": "from shop.a import wait\n\ndef f():\n    return wait()\n"},
    ),
    "a call with an accessor, whose import dies": (
        {
            "a.py": READ,
            "b.py": "from shop.a import wait\nfrom shop.context import get_settings\n\n"
            "def f():\n    return wait(get_settings())\n",
        },
        {"a.py": READ_AFTER, "b.py": "from shop.a import wait\n\ndef f():\n    return wait()\n"},
    ),
    "a call with a local, which dies": (
        {
            "a.py": READ,
            "b.py": "from shop.a import wait\nfrom shop.context import get_settings\n\n"
            "def f():\n    s = get_settings()\n    return wait(s)\n",
        },
        {"a.py": READ_AFTER, "b.py": "from shop.a import wait\n\ndef f():\n    return wait()\n"},
    ),
    "by keyword": (
        {
            "a.py": READ,
            "b.py": "from shop.a import wait\n\ndef f(x):\n    return wait(settings=x.settings)\n",
        },
        {"a.py": READ_AFTER, "b.py": "from shop.a import wait\n\ndef f():\n    return wait()\n"},
    ),
    "through the module": (
        {"a.py": READ, "b.py": "from shop import a\n\ndef f(x):\n    return a.wait(x.settings), x\n"},
        {"a.py": READ_AFTER, "b.py": "from shop import a\n\ndef f(x):\n    return a.wait(), x\n"},
    ),
    "among others": (
        {
            "a.py": "def wait(first, settings, last=1):\n    return first, settings.timeout, last\n\n"
            "def f(settings):\n    return wait(1, settings, 2), wait(1, settings), "
            "wait(1, last=2, settings=settings)\n"
        },
        {
            "a.py": f"{NET}\n\ndef wait(first, last=1):\n    return first, get_net().timeout, last\n\n"
            "def f():\n    return wait(1, 2), wait(1), wait(1, last=2)\n"
        },
    ),
    "over several lines": (
        {
            "a.py": "def wait(\n    first,\n    settings,\n):\n    return first, settings.timeout\n\n"
            "def f(settings):\n    return wait(\n        1,\n        settings,\n    )\n"
        },
        {
            "a.py": f"{NET}\n\ndef wait(\n    first,\n):\n    return first, get_net().timeout\n\n"
            "def f():\n    return wait(\n        1,\n    )\n"
        },
    ),
    "annotated, whose import dies": (
        {
            "a.py": "from shop.settings import Settings\n\n\n"
            "def wait(settings: Settings):\n    return settings.timeout\n"
        },
        {"a.py": f"{NET}\n\ndef wait():\n    return get_net().timeout\n"},
    ),
    "annotated in a string": (
        {
            "a.py": "from typing import TYPE_CHECKING, Any\n\nif TYPE_CHECKING:\n"
            "    from shop.settings import Settings\n    from shop.types import Other\n\n"
            'def wait(x: "Other", settings: "Settings") -> Any:\n    return settings.timeout\n'
        },
        {
            "a.py": f"from typing import TYPE_CHECKING, Any\n\n{NET}\nif TYPE_CHECKING:\n"
            '    from shop.types import Other\n\ndef wait(x: "Other") -> Any:\n    return get_net().timeout\n'
        },
    ),
    "keyword only": (
        {
            "a.py": "def wait(a, *, settings):\n    return a, settings.timeout\n\n"
            "x = lambda s: wait(1, settings=s)\n"
        },
        {"a.py": f"{NET}\n\ndef wait(a):\n    return a, get_net().timeout\n\nx = lambda s: wait(1)\n"},
    ),
    "keyword only, with others": (
        {"a.py": "def wait(*, settings, **rest):\n    return rest, settings.timeout\n"},
        {"a.py": f"{NET}\n\ndef wait(**rest):\n    return rest, get_net().timeout\n"},
    ),
    "a default that nobody overrides": (
        {
            "a.py": "def wait(a, settings=None):\n    return settings.timeout\n\n"
            "def f():\n    return wait(1)\n"
        },
        {"a.py": f"{NET}\n\ndef wait(a):\n    return get_net().timeout\n\ndef f():\n    return wait(1)\n"},
    ),
    "two of one chain": (
        {
            "a.py": READ,
            "b.py": "from shop.a import wait\n\ndef g(settings):\n    return f(settings)\n\n"
            "def f(settings):\n    return wait(settings)\n",
        },
        {
            "a.py": READ_AFTER,
            "b.py": "from shop.a import wait\n\ndef g():\n    return f()\n\ndef f():\n    return wait()\n",
        },
    ),
    "a method": (
        {
            "a.py": "class A:\n    def wait(self, settings):\n        return settings.timeout\n\n"
            "    def f(self, settings):\n        return self.wait(settings)\n"
        },
        {
            "a.py": f"{NET}\n\nclass A:\n    def wait(self):\n        return get_net().timeout\n\n"
            "    def f(self):\n        return self.wait()\n"
        },
    ),
    "a method and one that overrides it": (
        {
            "a.py": "class A:\n    def wait(self, settings):\n        return settings.timeout\n\n"
            "    def f(self, settings):\n        return self.wait(settings)\n",
            "b.py": "from shop.a import A\n\nclass B(A):\n    def wait(self, settings):\n"
            "        return 1 + super().wait(settings)\n",
        },
        {
            "a.py": f"{NET}\n\nclass A:\n    def wait(self):\n        return get_net().timeout\n\n"
            "    def f(self):\n        return self.wait()\n",
            "b.py": "from shop.a import A\n\nclass B(A):\n    def wait(self):\n"
            "        return 1 + super().wait()\n",
        },
    ),
    "a constructor": (
        {
            "a.py": "class A:\n    def __init__(self, x, settings):\n        self.t = settings.timeout, x\n",
            "b.py": "from shop.a import A\n\nclass B(A):\n    def __init__(self, settings):\n"
            "        super().__init__(1, settings)\n\nclass C(A):\n    pass\n\n"
            "def f(settings):\n    return A(1, settings), C(1, settings), B(settings)\n",
        },
        {
            "a.py": f"{NET}\n\nclass A:\n    def __init__(self, x):\n        self.t = get_net().timeout, x\n",
            "b.py": "from shop.a import A\n\nclass B(A):\n    def __init__(self):\n"
            "        super().__init__(1)\n\nclass C(A):\n    pass\n\n"
            "def f():\n    return A(1), C(1), B()\n",
        },
    ),
    "a static method": (
        {
            "a.py": "class A:\n    @staticmethod\n    def wait(settings, x):\n"
            "        return settings.timeout, x\n\n"
            "def f(settings):\n    return A.wait(settings, 1)\n"
        },
        {
            "a.py": f"{NET}\n\nclass A:\n    @staticmethod\n    def wait(x):\n"
            "        return get_net().timeout, x\n\ndef f():\n    return A.wait(1)\n"
        },
    ),
    "another function of the name": (
        {
            "a.py": READ,
            "b.py": "def wait(settings):\n    return settings\n\n"
            "def f(settings):\n    return wait(settings)\n",
        },
        {"a.py": READ_AFTER},
    ),
}

FUNCTION = "a.py:1"
# A second file beside READ, and what is said of the parameter that stays.
KEPT = {
    "a callback": ("from shop.a import wait\n\nCALLBACKS = [wait]\n", "b.py:3 uses it as a value"),
    "a thread": (
        "from threading import Thread\nfrom shop.a import wait\n\ndef f(s):\n"
        "    Thread(target=wait, args=(s,)).start()\n",
        "b.py:5 uses it as a value",
    ),
    "unpacked": (
        "from shop.a import wait\n\ndef f(*a):\n    return wait(*a)\n",
        "b.py:4 unpacks its arguments",
    ),
    "unpacked keywords": (
        "from shop.a import wait\n\ndef f(**a):\n    return wait(**a)\n",
        "b.py:4 unpacks its keywords",
    ),
    "computed": (
        "from shop.a import wait\n\ndef f(g):\n    return wait(g(1))\n",
        "b.py:4 passes something that is computed",
    ),
    "exported": ("from shop.a import wait\n\n__all__ = ['wait']\n", "b.py:3 exports it"),
    "patched": ("def f(patch):\n    patch('shop.a.wait')\n", "b.py:2 names it in a string"),
    "an unknown object": (
        "def f(x, s):\n    return x.wait(s)\n",
        "b.py:2 uses wait of an object that is not known",
    ),
    "a star": ("from shop.a import *\n\ndef f(s):\n    return wait(s)\n", "b.py:4 uses wait of an object"),
    "another name": (
        "from shop.a import wait as hold\n\ndef f(s):\n    return hold(s)\n",
        "b.py:1 uses it as a value",
    ),
    "handed on by a module": (
        "import shop.c\n\ndef f(s):\n    return shop.c.wait(s)\n",
        "b.py:4 may mean it",
    ),
    "bound twice": (
        "try:\n    from shop.a import wait\nexcept ImportError:\n    wait = None\n\ndef f(s):\n"
        "    return wait(s)\n",
        "b.py:7 uses it as a value",
    ),
}


@pytest.mark.parametrize(("files", "expected"), DROPPED.values(), ids=DROPPED)
def test_dropped(files: dict[str, str], expected: dict[str, str]) -> None:
    files = tree_of(files)
    after, parameters = moved(files)
    assert after == {**files, **expected}
    assert all(parameter.kept is None for parameter in parameters)
    assert moved(after) == (after, ())


@pytest.mark.parametrize(("text", "evidence"), KEPT.values(), ids=KEPT)
def test_kept(text: str, evidence: str) -> None:
    files = {"a.py": READ, "b.py": text, "c.py": "from shop.a import *\n"}
    after, parameters = moved(files)
    assert after == {**files, "a.py": READ_AFTER.replace("wait()", "wait(settings)")}
    (parameter,) = parameters
    assert parameter.kept is not None
    assert (parameter.kept.reason, parameter.drops) == ("unresolved-call-site", ())
    assert evidence in parameter.kept.detail


CLASSES = {
    "an overriding method that uses it": (
        "class A:\n    def wait(self, settings):\n        return settings.timeout\n\n"
        "class B(A):\n    def wait(self, settings):\n        return settings\n",
        "a.py:6 overrides or is overridden, and uses settings",
    ),
    "an overriding method with another signature": (
        "class A:\n    def wait(self, settings):\n        return settings.timeout\n\n"
        "class B(A):\n    def wait(self, *given):\n        return given\n",
        "a.py:6 defines it without settings",
    ),
    "a base outside of the tree": (
        "from torch import Module\n\nclass A(Module):\n    def wait(self, settings):\n"
        "        return settings.timeout\n",
        "shop.a.A derives from torch.Module, which may call it",
    ),
    "a decorator": (
        "import other\n\n@other.once\ndef wait(settings):\n    return settings.timeout\n",
        "a.py:4 is decorated by once",
    ),
    "a property of the language": (
        "class A:\n    def __call__(self, settings):\n        return settings.timeout\n",
        "__call__ is called by the language",
    ),
    "a class as a value": (
        "class A:\n    def __init__(self, settings):\n        self.t = settings.timeout\n\n"
        "KINDS = {'a': A}\n",
        "a.py:5 uses it as a value",
    ),
    "a class of a class method": (
        "class A:\n    def __init__(self, settings):\n        self.t = settings.timeout\n\n"
        "    @classmethod\n    def made(cls, *given):\n        return cls(*given)\n",
        "a.py:7 unpacks its arguments",
    ),
    "a class that hands itself on": (
        "class A:\n    def __init__(self, settings):\n        self.t = settings.timeout\n\n"
        "    @classmethod\n    def made(cls, choose, settings):\n"
        "        return choose(cls)(settings=settings)\n",
        "a.py:7 uses it as a value",
    ),
    "a comment beside it": (
        "def wait(\n    settings  # the record\n):\n    return settings.timeout\n",
        "a.py:2 writes it in a way that is not taken apart",
    ),
    "defined twice": (
        "if True:\n    def wait(settings):\n        return settings.timeout\nelse:\n"
        "    def wait(settings):\n        return 1\n",
        "it is defined more than once",
    ),
}


@pytest.mark.parametrize(("text", "evidence"), CLASSES.values(), ids=CLASSES)
def test_kept_in_one_file(text: str, evidence: str) -> None:
    _, parameters = moved({"a.py": text})
    assert [evidence in (one.kept.detail if one.kept else "") for one in parameters] == [True]


def test_the_proof_sees_a_drop_that_nobody_planned() -> None:
    old, new = b"def f(a, b):\n    return 1\n\nf(1, 2)\n", b"def f(a):\n    return 1\n\nf(1, 2)\n"
    change = (7, 10, "")
    assert prove(Rewritten("a.py", old, new, (), (change,)), STYLE) != ()


def test_the_proof_misses_a_drop_that_was_not_made() -> None:
    files = tree_of({"a.py": READ})
    _, (parameter,) = moved(files)
    (drop,) = parameter.drops
    assert isinstance(drop, Drop)
    same = files["a.py"].encode()
    assert prove(Rewritten("a.py", same, same, (), (), (drop,)), STYLE) != ()
