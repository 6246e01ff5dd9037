"""Flow rules are data: a pack of one's own, with its record, namespaces, phases and rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratchet.cli.run import run
from ratchet.pack import load_packs
from tests.flow.trees import plant

PACK = """\
format = 1
name = "shop"
version = "1"
package = "shop"
readbacks = ["dump"]

[[object]]
id = "settings"
class = "shop.settings.Settings"
accessors = ["shop.settings.get_settings"]
names = ["settings"]
attributes = ["settings"]
override = "override"

[[context]]
accessor = "shop.context.get_context"
override = "override"
slots = {}

[[namespace]]
path = "net"
accessor = "shop.context.get_net"

[schema]
default = "1"
snapshots = "schema"

[[phase]]
name = "settings are read"
moment = "resolution"
paths = ["settings.py"]
"""
PHASES = """
[[phase]]
name = "the shop opens"
moment = "after publish"
scopes = ["open_shop"]

[[phase]]
name = "customers come"
moment = "after publish"
scopes = ["serve"]
"""
RULE = """\
title = "{shape}"
kind = "flow"
why = "They part."
instead = "Write the namespace."

[match]
shape = "{shape}"
{filters}

[[example]]
bad = "x"
sites = 0

[[example]]
good = "x"
"""
SNAPSHOT = '{"fields": {}}'
FILES = {
    "settings.py": (
        "class Settings:\n    def override(self, source, **fields):\n        vars(self).update(fields)\n\n\n"
        "def get_settings():\n    return Settings()\n"
    ),
    "shop.py": (
        "from shop.settings import get_settings\n\n\ndef open_shop(settings):\n    return settings.slow\n\n\n"
        "def serve(customer):\n    get_settings().override('serve', slow=True)\n"
    ),
    "net.py": "from shop.context import get_net\n\n\ndef send():\n    return get_net().slow\n",
}


def make_pack(folder: Path, *, phases: str = "", **rules: tuple[str, str]) -> Path:
    """A pack without a schema, so that any name may be a field, and with the rules: id, shape and filters."""
    folder.mkdir(parents=True)
    declared = PACK.replace('[schema]\ndefault = "1"\nsnapshots = "schema"\n', "")
    (folder / "pack.toml").write_text(declared + phases, encoding="utf-8")
    for name, (shape, filters) in rules.items():
        text = RULE.format(shape=shape, filters=filters)
        (folder / f"{name.replace('_', '-')}.toml").write_text(text, encoding="utf-8")
    return folder


def check(root: Path, pack: Path, verb: str = "check") -> int:
    place = ["--root", str(root), "--pack", str(pack), "--baselines", str(root.parent / "baselines")]
    every = ["--all"] if verb == "adopt" else []
    return run([verb, *every, *place, "--no-cache", "--jobs", "1"])


def test_a_rule_of_ones_own_ratchets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = plant(tmp_path / "shop", FILES)
    pack = make_pack(tmp_path / "mine", lost=("lost-write", ""))
    (root.parent / "baselines").mkdir()
    assert check(root, pack, "adopt") == 0
    assert check(root, pack) == 0
    capsys.readouterr()
    more = "\n\ndef close(settings):\n    settings.slow = False\n"
    (root / "shop.py").write_text(FILES["shop.py"] + more, encoding="utf-8")
    assert check(root, pack) == 1
    assert "shop.py:13:5: new lost in close" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("filters", "expected"),
    [("", 1), ('fields = ["slow"]', 1), ('fields = ["fast"]', 0), ('origins = ["supplied"]', 0)],
)
def test_filters_of_accesses_apply(
    filters: str, expected: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = plant(tmp_path / "shop", FILES)
    pack = make_pack(tmp_path / "mine", lost=("lost-write", filters))
    run(["count", "--root", str(root), "--pack", str(pack), "--no-cache", "--jobs", "1"])
    assert f"lost  {expected}" in capsys.readouterr().out


def test_a_phase_says_what_is_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {name: text for name, text in FILES.items() if name != "net.py"}
    root = plant(tmp_path / "shop", files)
    for number, phases in enumerate(("", PHASES)):
        pack = make_pack(tmp_path / f"mine{number}", phases=phases, dead=("dead-write", ""))
        run(["count", "--root", str(root), "--pack", str(pack), "--no-cache", "--jobs", "1"])
        assert f"dead  {number}" in capsys.readouterr().out


def test_a_changed_phase_asks_for_adoption(tmp_path: Path) -> None:
    packs = [make_pack(tmp_path / name, phases=phases, dead=("dead-write", "")) for name, phases in (
        ("a", ""), ("b", PHASES), ("c", PHASES.replace("the shop opens", "the doors open")),
    )]  # fmt: skip
    plain, phased, renamed = (load_packs([str(pack)], tmp_path).rules[0].fingerprint for pack in packs)
    assert plain != phased
    assert phased == renamed


@pytest.mark.parametrize(
    ("phases", "shape", "says"),
    [
        ("", "lost-writes", "lost-write"),
        ('[[phase]]\nname = "x"\nmoment = "resolution"\n', "lost-write", "would take in everything"),
        ('[[phase]]\nname = "x"\nmoment = "later"\npaths = ["a"]\n', "lost-write", "after publish"),
        ('[[process]]\nname = "x"\n', "lost-write", "would take in everything"),
    ],
)
def test_faults_are_told(
    phases: str, shape: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = plant(tmp_path / "shop", FILES)
    pack = make_pack(tmp_path / "mine", phases=phases, lost=(shape, ""))
    assert run(["count", "--root", str(root), "--pack", str(pack), "--no-cache", "--jobs", "1"]) == 3
    assert says in capsys.readouterr().err
