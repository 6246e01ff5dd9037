"""Reads in the code of a role that may not read everything stay where its set leaves the namespace out."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratchet.checking.migration import Request, plan_migration
from ratchet.session import Options, only_one, open_sessions
from tests.codemod.plan.shop import decided
from tests.roles.engine import CONTEXT, plant

CLERK = "counter/clerk.py"
CASES = {
    "left out": (
        "def serve():\n    return get_settings().timeout",
        ["get_settings().timeout: role-restricted"],
    ),
    "in the set": (
        "def serve():\n    return get_settings().theme",
        ["get_settings().theme -> get_ui().theme"],
    ),
    "not the role's code": (
        "def count():\n    return get_settings().timeout",
        ["get_settings().timeout -> get_net().timeout"],
    ),
    "a write asks for no role": (
        "def serve():\n    get_settings().override('clerk', timeout=1)",
        ["get_settings().override(timeout) -> get_context().override('clerk')"],
    ),
    "what stays for another reason": (
        "def serve():\n    return get_settings().port",
        ["get_settings().port: live-shadowed"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_what_a_set_leaves_out_stays(text: str, expected: list[str]) -> None:
    assert decided(text, "writes", path=CLERK) == expected


TILL = """
from sglang.srt.runtime_context import publish, get_server_args

def run_till(server_args):
    size = get_server_args().tp_size
    publish(server_args, role="till")
    return size, drawer()

def drawer():
    server_args = get_server_args()
    return server_args.page_size, server_args.nnodes, server_args.moe_a2a_backend

def clerk():
    return get_server_args().page_size
"""
DRAWER = "the processes of the role till run it, and its declared set leaves out the namespace"


@pytest.mark.parametrize(
    ("engine", "stays"),
    [
        ("0.5.18", {"page_size": f"{DRAWER} schedule"}),
        ("0.5.20", {"page_size": f"{DRAWER} schedule", "nnodes": f"{DRAWER} parallel"}),
    ],
)
def test_a_migration_goes_by_the_declared_sets(tmp_path: Path, engine: str, stays: dict[str, str]) -> None:
    """Before 0.5.19 the namespace `parallel` is refused nobody."""
    root = plant(tmp_path, {"srt/runtime_context.py": CONTEXT, "srt/managers/till.py": TILL})
    options = Options(root=root, packs=("sglang",), jobs=1, engine=engine, no_cache=True)
    with open_sessions(options, cwd=root) as sessions:
        plan = plan_migration(only_one(sessions), Request(everything=True)).plan
    found = {
        skip.before.rpartition(".")[2]: skip.detail for skip in plan.skips if skip.reason == "role-restricted"
    }
    assert found == stays
    moved = [edit.after for edit in plan.edits]
    assert "get_exec().moe.moe_a2a_backend" in moved
    assert "get_schedule().page_size" in moved
