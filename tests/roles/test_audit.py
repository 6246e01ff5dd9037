"""Audits of record mode: read, merged, refused; and one that the vendored runtime really writes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import ratchet
from ratchet.errors import UsageError
from ratchet.roles.audit import read_audits
from tests.cli.project import Outcome, Project
from tests.roles.engine import plant

VENDOR = Path(ratchet.__file__).with_name("vendor")
WORKER = """
import multiprocessing as mp

from sglang.srt.runtime_context import get_exec, get_memory, get_schedule, publish
from sglang.srt.server_args import ServerArgs

def run_worker(server_args):
    publish(server_args, role="dp_controller")
    if get_exec().moe.moe_a2a_backend == "none":
        serve()

def serve():
    return read_by_name("page_size") if get_memory() is None else get_schedule().page_size

def read_by_name(name):
    return getattr(get_schedule(), name)

if __name__ == "__main__":
    run_worker(ServerArgs("dummy"))
"""


def test_audits_are_merged(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text(
        '{"pid": 1, "role": "till", "namespace": null}\n{"pid": 1, "role": "till", "namespace": "exec"}\n'
    )
    two.write_text("clerk -\ntill schedule\n")
    assert read_audits([one, two]) == {"till": {"exec", "schedule"}, "clerk": set()}
    assert read_audits([]) == {}


@pytest.mark.parametrize(
    "text", ["", "\n", "{}", '{"role": 1, "namespace": null}', "one two three", "\xff", "[" * 100_000]
)
def test_what_is_no_audit_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "audit"
    file.write_text(text, encoding="latin-1")
    with pytest.raises(UsageError, match="audit"):
        read_audits([file])


def ratchet_roles(root: Path, *arguments: str, cwd: Path | None = None) -> Outcome:
    """Run `ratchet roles` on a tree."""
    options = ("--root", str(root), "--no-cache", "--jobs", "1")
    return Project(cwd or Path.cwd()).run("roles", *options, *arguments)


def test_names_of_an_audit_are_safe_to_print(tmp_path: Path) -> None:
    audit = tmp_path / "audit.jsonl"
    audit.write_text(
        '{"role": "\\u001b[2J", "namespace": "exec"}\n{"role": "till", "namespace": "\\u001b]0;x"}\n'
    )
    done = ratchet_roles(plant(tmp_path, {}), "--engine", "0.5.20", "--audit", str(audit))
    assert "\x1b" not in done.out + done.err
    assert "the audit saw the role \\x1b[2J" in done.out
    assert "observed              \\x1b]0;x" in done.out


def test_the_runtime_records_what_the_verb_reads(tmp_path: Path) -> None:
    root = tmp_path / "sglang"
    shutil.copytree(VENDOR / "sglang", root, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "srt/managers/worker.py").write_text(WORKER)
    out = tmp_path / "audit.jsonl"
    record = {"SGLANG_ROLE_NAMESPACES": "record", "SGLANG_ROLE_NAMESPACES_OUT": str(out)}
    environ = {**os.environ, **record, "PYTHONPATH": str(tmp_path)}
    subprocess.run(
        [sys.executable, "-m", "sglang.srt.managers.worker"], env=environ, check=True, cwd=tmp_path
    )

    done = ratchet_roles(root, "dp_controller", "--audit", str(out), "--format", "json")
    told = json.loads(done.out)
    schema = (resources.files("ratchet") / "schemas" / "roles.schema.json").read_text(encoding="utf-8")
    Draft202012Validator(json.loads(schema)).validate(told)
    role = told["roles"][0]
    assert role["observed"] == ["exec", "memory", "schedule"]
    assert role["reached"] == ["exec", "schedule"]  # of `memory`, no field is read
    assert role["proposed"] == role["observed"]
    assert role["declared"] == ["exec"]
    assert [read["namespace"] for read in role["undeclared"]] == ["schedule"]
    assert told["exit_code"] == done.code == 1

    ways = ratchet_roles(root, "--why", "dp_controller", "schedule")
    worker = root / "srt/managers/worker.py"
    assert f"  {worker}:10 → {worker}:13\n" in ways.out
    ways = ratchet_roles(root, "--why", "dp_controller", "schedule", cwd=tmp_path)
    worker = worker.relative_to(tmp_path)
    assert f"  {worker}:10 → {worker}:13\n" in ways.out
    Draft202012Validator(json.loads(schema)).validate(
        json.loads(ratchet_roles(root, "--why", "dp_controller", "schedule", "--format", "json").out)
    )
