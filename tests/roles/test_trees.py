"""What the roles of real releases read: the sets are pinned, each with its reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.roles.engine import roles_of
from tests.trees import tree_of

# release: role to (declared, reached, undeclared). In 0.5.17 the controller reads the record but for the gate
# on elastic experts; on 0.5.18 and 0.5.19 its reader of load snapshots asks `serving` for the number of
# tokenizer workers, which its set leaves out; from 0.5.20 on the set has it.
CONTROLLER = {
    "0.5.17": ("exec", "exec", ""),
    "0.5.18": ("exec", "exec serving", "serving"),
    "0.5.20": (
        "device disagg exec observability parallel serving",
        "device disagg exec observability parallel serving",
        "",
    ),
}
# Processes of these roles load weights, and read nothing else; their tables say all, for want of an audit.
SMALL = {
    "0.5.17": {"expert_backup": "model", "weight_cache_daemon": "exec model"},
    "0.5.18": {"expert_backup": "model", "weight_cache_daemon": "device exec model"},
    "0.5.20": {
        "expert_backup": "disagg exec model parallel",
        "weight_cache_daemon": "device exec model parallel spec",
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("release", CONTROLLER)
def test_the_sets_of_a_release(release: str, trees_cache: Path) -> None:
    report = roles_of(tree_of(release), engine=release, cache=trees_cache).report
    assert report is not None
    role = report.role("dp_controller")
    assert role is not None
    assert role.declared is not None
    undeclared = " ".join(sorted(read.namespace for read in role.undeclared))
    told = (" ".join(sorted(role.declared)), " ".join(sorted(role.names("reached"))), undeclared)
    assert told == CONTROLLER[release]
    for name, reached in SMALL[release].items():
        small = report.role(name)
        assert small is not None
        assert (small.declared, " ".join(sorted(small.names("reached")))) == (None, reached)
    assert all(item.is_declared for item in report.roles)
