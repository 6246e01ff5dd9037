"""Role enforcement: off, record, enforce. The mode is read at import, so each case is a process."""

from __future__ import annotations

import dis
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from sglang.srt import runtime_context as rc
from sglang.srt._runtime.roles import Mode, mode_from

from tests.vendor.processes import run, start

PRELUDE = """
from sglang.srt import runtime_context as rc
from sglang.srt.server_args import ServerArgs

def publish(role):
    rc.publish(ServerArgs("dummy"), role=role)
"""


def pairs(out: Path) -> list[tuple[str, str | None]]:
    """The (role, namespace) pairs that processes wrote, sorted; None marks a publish."""
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    return sorted(((line["role"], line["namespace"]) for line in lines), key=str)


@pytest.mark.parametrize(
    ("environ", "mode"),
    [
        pytest.param({}, Mode.OFF, id="unset"),
        pytest.param({"SGLANG_ROLE_NAMESPACES": "off"}, Mode.OFF, id="off"),
        pytest.param({"SGLANG_ROLE_NAMESPACES": "record"}, Mode.RECORD, id="record"),
        pytest.param({"SGLANG_ROLE_NAMESPACES": "enforce"}, Mode.ENFORCE, id="enforce"),
    ],
)
def test_modes(environ: dict[str, str], mode: Mode) -> None:
    assert mode_from(environ) is mode


@pytest.mark.parametrize("value", ["", "on", "1", "Enforce", "enforce ", "recrod"])
def test_any_other_mode_is_an_error(value: str) -> None:
    with pytest.raises(rc.ConfigError, match="is no mode: set it to off, record or enforce"):
        mode_from({"SGLANG_ROLE_NAMESPACES": value})


def test_a_wrong_mode_stops_the_import() -> None:
    ended = run("import sglang.srt.runtime_context", SGLANG_ROLE_NAMESPACES="enforced")
    assert ended.returncode != 0
    assert "SGLANG_ROLE_NAMESPACES is 'enforced', which is no mode" in ended.stderr


def test_the_mode_is_read_once() -> None:
    code = (
        PRELUDE
        + """
import os
os.environ["SGLANG_ROLE_NAMESPACES"] = "enforce"
publish("dp_controller")
print(rc.get_schedule().page_size)
"""
    )
    assert run(code).stdout == "None\n"


# Off


def test_off_leaves_no_bookkeeping_in_a_read() -> None:
    accessor: Any = rc.get_schedule
    loads = [step.argval for step in dis.get_instructions(accessor) if step.opname.startswith("LOAD")]
    assert loads == ["CONTEXT", "live", "schedule"]
    assert accessor.__closure__ is None


def test_off_allows_any_role_and_read() -> None:
    code = (
        PRELUDE
        + """
publish("somebody")
print(rc.get_schedule().page_size, rc.publish_role())
"""
    )
    ended = run(code)
    assert (ended.stdout, ended.stderr) == ("None somebody\n", "")


# Record

READS_AND_WAITS = (
    PRELUDE
    + """
publish("scheduler")
rc.get_exec().moe.moe_a2a_backend
rc.get_exec().kernel.attention_backend
rc.get_parallel().dp_size
print("read", flush=True)
input()
rc.get_lora()
"""
)
READS_NOTHING = PRELUDE + 'publish("tokenizer")'
READS_ITS_SET = PRELUDE + 'publish("dp_controller")\nrc.get_exec().moe.elastic_ep_backend'


def test_record_survives_a_kill_and_shows_who_read_nothing(tmp_path: Path) -> None:
    out = tmp_path / "pairs.jsonl"
    variables = {"SGLANG_ROLE_NAMESPACES": "record", "SGLANG_ROLE_NAMESPACES_OUT": str(out)}
    killed = start(READS_AND_WAITS, variables)
    others = [start(code, variables) for code in (READS_NOTHING, READS_ITS_SET)]
    assert killed.stdout is not None
    assert killed.stdout.readline() == "read\n"
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=60)
    errors = [process.communicate(timeout=60)[1] for process in others]
    assert killed.returncode == -signal.SIGKILL
    assert pairs(out) == [
        ("dp_controller", "exec"),
        ("dp_controller", None),
        ("scheduler", "exec"),
        ("scheduler", "parallel"),
        ("scheduler", None),
        ("tokenizer", None),
    ]
    assert errors == [
        f"[SGLANG_ROLE_NAMESPACES] pid {others[0].pid}, role tokenizer: no namespace read\n",
        f"[SGLANG_ROLE_NAMESPACES] pid {others[1].pid}, role dp_controller: exec\n",
    ]


def test_record_writes_each_pair_at_once_and_once(tmp_path: Path) -> None:
    out = tmp_path / "pairs.jsonl"
    code = (
        PRELUDE
        + f"""
from pathlib import Path
lines = lambda: len(Path({str(out)!r}).read_text().splitlines())
publish("scheduler"); print(lines())
rc.get_exec().moe; print(lines())
rc.get_exec().comm; print(lines())
rc.get_mm(); print(lines())
publish("scheduler"); rc.get_mm(); print(lines())
publish("launcher"); rc.get_mm(); print(lines())
"""
    )
    ended = run(code, SGLANG_ROLE_NAMESPACES="record", SGLANG_ROLE_NAMESPACES_OUT=str(out))
    assert ended.stdout.split() == ["1", "2", "2", "3", "3", "5"]


def test_record_sees_no_read_in_what_is_no_read(tmp_path: Path) -> None:
    out = tmp_path / "pairs.jsonl"
    code = (
        PRELUDE
        + """
publish("scheduler")
rc.get_context().override("test", page_size=1)
rc.get_context().resolved_server_args_dict()
with rc.get_context().preserve_config(), rc.get_parallel().override(tp_size=2):
    rc.get_parallel().tp_size
rc.get_server_args().page_size
"""
    )
    ended = run(code, SGLANG_ROLE_NAMESPACES="record", SGLANG_ROLE_NAMESPACES_OUT=str(out))
    assert ended.returncode == 0
    assert pairs(out) == [("scheduler", None)]


def test_record_without_a_file_still_sums_up() -> None:
    code = (
        PRELUDE
        + """
publish("scheduler")
rc.get_mm(), rc.get_exec()
"""
    )
    ended = run(code, SGLANG_ROLE_NAMESPACES="record")
    assert ended.stderr.endswith("role scheduler: exec, mm\n")


def test_record_in_a_fork_is_the_childs_own(tmp_path: Path) -> None:
    out = tmp_path / "pairs.jsonl"
    code = (
        PRELUDE
        + """
import os
publish("scheduler")
rc.get_mm()
child = os.fork()
rc.get_mm()
os._exit(0) if child == 0 else os.waitpid(child, 0)
"""
    )
    run(code, SGLANG_ROLE_NAMESPACES="record", SGLANG_ROLE_NAMESPACES_OUT=str(out))
    assert pairs(out) == [("scheduler", "mm"), ("scheduler", "mm"), ("scheduler", None)]


def test_record_that_cannot_write_fails(tmp_path: Path) -> None:
    out = tmp_path / "no such folder" / "pairs.jsonl"
    ended = run(READS_NOTHING, SGLANG_ROLE_NAMESPACES="record", SGLANG_ROLE_NAMESPACES_OUT=os.fspath(out))
    assert ended.returncode == 1
    assert f"cannot be written to {out} (No such file or directory): set SGLANG_ROLE_" in ended.stderr


# Enforce


@pytest.mark.parametrize("read", ["get_exec()", "get_exec().moe.moe_a2a_backend"])
def test_enforce_lets_a_role_read_its_set(read: str) -> None:
    ended = run(f'{PRELUDE}\npublish("dp_controller")\nrc.{read}', SGLANG_ROLE_NAMESPACES="enforce")
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    ("read", "namespace"), [("get_schedule()", "schedule"), ("get_parallel().dp_size", "parallel")]
)
def test_enforce_refuses_a_read_outside_it(read: str, namespace: str) -> None:
    ended = run(f'{PRELUDE}\npublish("dp_controller")\nrc.{read}', SGLANG_ROLE_NAMESPACES="enforce")
    assert ended.returncode == 1
    assert (
        f"The role `dp_controller` may not read the namespace `{namespace}`, only exec: hand the value in, "
        "or, if a run with SGLANG_ROLE_NAMESPACES=record shows that it belongs there, add it to "
        "ROLE_NAMESPACE_SETS in sglang.srt._runtime.roles." in ended.stderr
    )


@pytest.mark.parametrize("mode", ["off", "record", "enforce"])
def test_every_mode_fails_closed_before_the_publish(mode: str) -> None:
    ended = run(f"{PRELUDE}\nrc.get_exec()", SGLANG_ROLE_NAMESPACES=mode)
    assert ended.returncode == 1
    assert "NotPublishedError: The configuration (here `exec`) was used before" in ended.stderr


def test_enforce_allows_live_topology_to_every_role() -> None:
    code = (
        PRELUDE
        + """
publish("dp_controller")
with rc.get_parallel().override(tp_size=2):
    print(rc.get_parallel().tp_size)
"""
    )
    assert run(code, SGLANG_ROLE_NAMESPACES="enforce").stdout == "2\n"


@pytest.mark.parametrize("role", sorted(set(rc.ROLE_NAMESPACE_SETS) - {"dp_controller"}))
def test_other_roles_have_the_full_tree(role: str) -> None:
    assert rc.ROLE_NAMESPACE_SETS[role] is None


def test_enforce_reads_the_full_tree_where_no_audit_backs_a_set() -> None:
    code = (
        PRELUDE
        + """
publish("tokenizer")
names = ["device", "model", "exec", "memory", "schedule", "spec", "lora", "mm", "disagg", "serving"]
print(all(getattr(rc, f"get_{name}")() for name in [*names, "observability"]), rc.get_parallel().dp_size)
"""
    )
    assert run(code, SGLANG_ROLE_NAMESPACES="enforce").stdout == "True 1\n"


def test_enforce_refuses_an_unknown_role_at_the_publish() -> None:
    code = (
        PRELUDE
        + """
try:
    publish("schedular")
except rc.RoleError as error:
    print(error)
print(rc.get_context().is_published)
"""
    )
    assert run(code, SGLANG_ROLE_NAMESPACES="enforce").stdout == (
        "The role `schedular` has no declared set of namespaces: add it to ROLE_NAMESPACE_SETS in "
        "sglang.srt._runtime.roles (None for the full tree), or publish as `scheduler`.\nFalse\n"
    )
