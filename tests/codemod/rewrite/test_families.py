"""The families of functions, however their names are asked for."""

from __future__ import annotations

import pytest

from ratchet.codemod import families
from ratchet.codemod.families import Families, Family
from tests.codemod.parameters_of import STYLE

FILES = {
    "base.py": "class Base:\n    def run(self, settings): ...\n    def stop(self): ...\n",
    "derived.py": "from shop.base import Base\nclass Derived(Base):\n    def run(self, settings): ...\n",
    "far.py": (
        "from shop.derived import Derived\nclass Far(Derived):\n    def run(self, settings): ...\n"
        "    def go(self): self.run(1)\n"
    ),
    "use.py": "from shop.tools import wait\ndef go(): wait(2)\n",
    "tools.py": "def wait(settings): ...\ndef rerun(settings): ...\ndef prerun(): rerun(1)\n",
}
ASKED = {
    ("base.py", "shop.base.Base.run", "shop.base.Base"),
    ("far.py", "shop.far.Far.run", "shop.far.Far"),
    ("tools.py", "shop.tools.wait", ""),
    ("tools.py", "shop.tools.rerun", ""),
}


def found(rounds: list[set[tuple[str, str]]]) -> list[Family]:
    """The families of all that is asked for, whose names are gathered in these rounds."""
    made = Families(sorted(FILES), lambda path: FILES[path].encode(), STYLE)
    for wanted in rounds:
        made.gather(wanted)
    return [made.of(path, dotted) for path, dotted, _ in sorted(ASKED)]


@pytest.mark.parametrize("few", [0, 40], ids=["all words at once", "word by word"])
def test_names_that_come_later_find_the_same(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "_FEW", few)
    asked = [(dotted, owner) for _, dotted, owner in sorted(ASKED)]
    at_once = found([{*asked}])
    assert [(len(family.members), len(family.sites), family.faults) for family in at_once] == [
        (3, 1, ()),
        (3, 1, ()),
        (1, 1, ()),
        (1, 1, ()),
    ]
    assert found([{each} for each in asked]) == at_once
    assert found([{each} for each in reversed(asked)]) == at_once
