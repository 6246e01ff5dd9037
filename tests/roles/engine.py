"""A small engine tree for tests of roles: a context that publishes, and what is put beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ratchet.checking.roles import Shown, show_roles, why
from ratchet.session import Options, only_one, open_sessions

CONTEXT = """
ROLE_NAMESPACE_SETS: dict[str, frozenset[str] | None] = {
    "till": frozenset({"exec"}),
    "clerk": None,
}

def publish(server_args, *, role): ...
def get_exec(): ...
def get_schedule(): ...
def get_parallel(): ...
def get_server_args(): ...
def get_context(): ...
"""

TILL = """
import multiprocessing as mp

from sglang.srt.managers.drawer import Drawer
from sglang.srt.runtime_context import get_exec, publish

def run_till(server_args):
    publish(server_args, role="till")
    if get_exec().moe.elastic_ep_backend:
        Drawer(server_args).open()

def start(server_args):
    mp.Process(target=run_till, args=(server_args,)).start()
"""

DRAWER = """
from sglang.srt.runtime_context import get_schedule

class Drawer:
    def __init__(self, server_args):
        self.server_args = server_args

    def open(self):
        return get_schedule().page_size
"""

TREE = {
    "__init__.py": "",
    "srt/runtime_context.py": CONTEXT,
    "srt/managers/till.py": TILL,
    "srt/managers/drawer.py": DRAWER,
}


def plant(folder: Path, files: Mapping[str, str]) -> Path:
    """Write the tree, with these files in it or in place of its own; its root."""
    root = folder / "sglang"
    for path, text in {**TREE, **files}.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root


def roles_of(root: Path, *audits: Path, engine: str = "0.5.20", cache: Path | None = None) -> Shown:
    """The report on the roles of a tree."""
    options = Options(
        root=root, packs=("sglang",), jobs=1, engine=engine, no_cache=cache is None, cache_dir=cache
    )
    with open_sessions(options, cwd=root) as sessions:
        return show_roles(only_one(sessions), audits)


def ways(root: Path, role: str, namespace: str) -> list[list[tuple[str, int]]]:
    """The ways of a role to the reads of a namespace, each as paths and lines."""
    options = Options(root=root, packs=("sglang",), jobs=1, engine="0.5.20", no_cache=True)
    with open_sessions(options, cwd=root) as sessions:
        found = why(only_one(sessions), role, namespace).reads
    return [[(hop.node.path, hop.line) for hop in read.way] for read in found]
