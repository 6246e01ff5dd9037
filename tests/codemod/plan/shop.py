"""A made-up shop that retires its settings record, and plans over small trees of it, all in memory.

The files of a tree are relative to the source root `shop`. What reasons and tables call `get_settings`,
`get_net` and so on is what this pack declares.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from functools import cache

from ratchet.cache import Cache
from ratchet.codemod.model import Plan, Refusal
from ratchet.codemod.plan import Planner, Subject
from ratchet.codemod.sites import Selection
from ratchet.model import ContextObject, Exemption, Field, Namespace, Pack, Schema, TrackedObject
from ratchet.roles.restricted import Restricted
from ratchet.scan import Scan, Scanner
from ratchet.source.entries import Listing
from ratchet.source.overlay import Overlay
from ratchet.source.worktree import WorkTree
from ratchet.tree import Tree, plan_of

EVERYTHING = Selection()
IMPORTS = "from shop.context import get_context, get_settings\n"

PACK = Pack(
    name="shop",
    version="1",
    package="shop",
    objects=(
        TrackedObject(
            id="settings",
            class_name="shop.settings.Settings",
            accessors=("shop.context.get_settings",),
            names=("settings", "*_settings"),
            attributes=("settings", "*_settings"),
            constructors=("shop.settings.load_settings",),
            override="override",
        ),
    ),
    contexts=(ContextObject("shop.context.get_context", (("settings", "settings"),), "override", "source"),),
    namespaces=(
        Namespace("net", "shop.context.get_net", live=("port",)),
        Namespace(
            "ui",
            "shop.context.get_ui",
            groups=("colors",),
            spellings=(("<2", "shop.old.ui_bag"),),
        ),
    ),
    boundaries=(
        Exemption("it makes the values", paths=("pipeline",), outside=True),
        Exemption("engines share a process", paths=("engines",)),
        Exemption("each desk has a record of its own", paths=("desks",), separate=True),
        Exemption("only this function is one engine's", paths=("mixed.py",), scopes=("Engine.start",)),
        Exemption("tools publish nothing", paths=("tools",), unpublished=True),
        Exemption("each worker has its own", fields=("locale",)),
        Exemption("it was so in the first engines", paths=("later.py",), engines="<2"),
    ),
    rules=(),
    fingerprint="",
    folder="",
)

CLERK = Restricted("clerk", frozenset({"ui"}), frozenset({("counter/clerk.py", "serve")}), {})

_FIELDS = {
    "timeout": "net",
    "retries": "net",
    "hosts": "net",
    "port": "net",
    "locale": "ui",
    "theme": "ui",
    "accent": "ui.colors",
    "region": None,
    "motto": "blog",
}
_TYPES = {"hosts": "Optional[List[str]]"}
SCHEMA = Schema(
    "the shop",
    {name: Field(name, _TYPES.get(name, "int"), None, space) for name, space in _FIELDS.items()},
)


def code(text: str) -> str:
    """A table's code as a file's: without its common indentation, behind the imports of the accessors."""
    return IMPORTS + textwrap.dedent(text).lstrip("\n")


@cache
def _nothing() -> WorkTree:
    return WorkTree("", Listing.of(()))


def scan(files: Mapping[str, str], engine: str | None = None) -> tuple[Tree, Scan]:
    """A tree of these files, and its accesses."""
    source = Overlay(_nothing(), {path: text.encode() for path, text in files.items()})
    tree = Tree(source, "", PACK, (), engine, SCHEMA)
    return tree, Scanner(plan_of(tree, namespaces=True), source, Cache.open(None), 1, "").scan()


def plan(
    files: Mapping[str, str],
    selection: Selection = EVERYTHING,
    engine: str | None = None,
    refused: Mapping[str, Refusal] | None = None,
) -> Plan:
    """The plan for a tree of these files."""
    tree, scanned = scan(files, engine)
    subject = Subject(scanned.facts, PACK, SCHEMA, engine, tree.source.read, (CLERK,))
    return Planner(subject, selection).plan(refused or {})


def told(found: Plan) -> list[str]:
    """The plan as tables hold it: what moves as `before -> after`, what stays as `before: reason`."""
    lines = [(edit.path, edit.span, f"{edit.before} -> {edit.after}") for edit in found.edits]
    lines += [(skip.path, skip.span, f"{skip.before}: {skip.reason}") for skip in found.skips]
    return [text for _, _, text in sorted(lines, key=lambda item: (item[0], item[1].line, item[1].column))]


def decided(text: str, *asked: str, path: str = "example.py", engine: str | None = None) -> list[str]:
    """What becomes of the sites of one file; `asked` are the options that are set."""
    selection = Selection(
        writes="writes" in asked, parameters="parameters" in asked, chains="chains" in asked
    )
    return told(plan({path: code(text)}, selection, engine))
