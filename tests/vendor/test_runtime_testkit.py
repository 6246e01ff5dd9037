"""What tests use where they used to stub the record."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from sglang.srt import runtime_context as rc
from sglang.srt.distributed.parallel_state import Group, Topology, initialize_model_parallel
from sglang.srt.server_args import ServerArgs
from sglang.test.published_config import published_config
from sglang.test.pytest_plugin import publish_config

from tests.vendor.processes import run

__all__ = ["publish_config"]


def test_the_fields_given_are_published() -> None:
    with published_config(ep_size=4, moe_a2a_backend="deepep", hf_config="hf") as record:
        assert (rc.get_parallel().ep_size, rc.get_exec().moe.moe_a2a_backend) == (4, "deepep")
        assert rc.get_context().live.server_args is record
        assert (rc.publish_role(), rc.get_context().hf_config) == ("test", "hf")


def test_nothing_is_left_published() -> None:
    with published_config():
        pass
    assert not rc.get_context().is_published


def test_everything_is_restored_when_the_block_fails() -> None:
    rc.publish(ServerArgs("dummy"), role="scheduler")
    rc.get_context().override("outer", page_size=4)
    initialize_model_parallel(Topology(tp=Group(2)))
    log = rc.get_context().overrides_log()
    with suppress(RuntimeError), published_config(page_size=8):
        rc.get_context().override("inner", page_size=16)
        rc.reset_context()
        raise RuntimeError
    assert (rc.get_schedule().page_size, rc.get_parallel().tp_size) == (4, 2)
    assert (rc.publish_role(), rc.get_context().overrides_log()) == ("scheduler", log)


def test_an_unknown_field_is_an_error_and_publishes_nothing() -> None:
    with pytest.raises(TypeError, match="page_siz"), published_config(page_siz=8):
        pytest.fail("the block was entered")
    assert not rc.get_context().is_published


def test_blocks_nest() -> None:
    with published_config(page_size=1):
        with published_config(page_size=2):
            assert rc.get_schedule().page_size == 2
        assert rc.get_schedule().page_size == 1


def test_the_fixture_publishes(publish_config: Callable[..., ServerArgs]) -> None:
    publish_config(page_size=8)
    assert rc.get_schedule().page_size == 8
    publish_config(page_size=16)
    assert rc.get_schedule().page_size == 16


TESTS_OF_ANOTHER_PROJECT = """
import pytest
from sglang.srt import runtime_context as rc

def test_publishes(publish_config):
    publish_config(page_size=8)
    assert rc.get_schedule().page_size == 8

def test_all_is_gone():
    assert not rc.get_context().is_published

@pytest.mark.xfail(strict=True)
def test_fails(publish_config):
    publish_config(page_size=8)
    assert False

def test_all_is_gone_after_a_failure():
    assert not rc.get_context().is_published
"""


def test_the_fixture_restores_everything_at_the_tests_end(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["sglang.test.pytest_plugin"]\n')
    (tmp_path / "test_other.py").write_text(TESTS_OF_ANOTHER_PROJECT)
    ended = run(f"import pytest; raise SystemExit(pytest.main([{str(tmp_path)!r}, '-q']))")
    assert ended.returncode == 0, ended.stdout
    assert "3 passed, 1 xfailed" in ended.stdout
