"""Moved imports rewritten: pairs of before and after, for the newer engine alone and for both."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratchet.codemod.model import Rewritten
from ratchet.model import Problem
from ratchet.syntax.document import Document, read_document
from ratchet.upgrade.rewriting import prove_moved, rewrite_moved
from ratchet.upgrade.run import judge_file
from tests.surface.trees import releases
from tests.upgrade.test_report import JUDGE, RECORDS

OLD = releases()[0]


def rewritten(code: str, both: bool = False) -> str | None:
    """The code rewritten; None where nothing is done."""
    document = read_document("plugin.py", code.encode())
    assert isinstance(document, Document)
    findings = judge_file(JUDGE, RECORDS, document, lambda _dotted: False)
    made = rewrite_moved(document, code.encode(), findings, OLD if both else None)
    assert not isinstance(made, Problem), made.message
    return made.new.decode() if isinstance(made, Rewritten) else None


PAIRS = {
    "alone": ("from sglang.srt.cache import Cache\n", "from sglang.srt.mem.cache import Cache\n"),
    "beside-what-stays": (
        "import os\nfrom sglang.srt.cache import Cache as C, Pool  # both\nC(Pool)\n",
        "import os\nfrom sglang.srt.cache import Pool\n"
        "from sglang.srt.mem.cache import Cache as C  # both\nC(Pool)\n",
    ),
    "in-a-function-without-a-last-line-end": (
        "def f():\n\tfrom sglang.srt.gone import Worker",
        "def f():\n\tfrom sglang.srt.jobs.worker import Worker",
    ),
    "over-several-lines": (
        "from sglang.srt.cache import (\r\n    Cache,\r\n    Pool,\r\n)\r\n",
        "from sglang.srt.cache import Pool\r\nfrom sglang.srt.mem.cache import Cache\r\n",
    ),
}

BOTH = {
    "alone": (
        "from sglang.srt.cache import Cache\n",
        "try:\n    from sglang.srt.mem.cache import Cache\n"
        "except ImportError:\n    from sglang.srt.cache import Cache as Cache\n",
    ),
    "beside-what-stays": (
        "def f():\n    from sglang.srt.cache import Pool, Cache as C\n    return C\n",
        "def f():\n    from sglang.srt.cache import Pool\n"
        "    try:\n        from sglang.srt.mem.cache import Cache as C\n"
        "    except ImportError:\n        from sglang.srt.cache import Cache as C\n    return C\n",
    ),
}

LEFT = {
    "two-homes": "from sglang.srt.cache import twice\n",
    "gone": "from sglang.srt.cache import evict\n",
    "guarded": "try:\n    from sglang.srt.cache import Cache\nexcept ImportError:\n    Cache = None\n",
    "comment-inside": "from sglang.srt.cache import (\n    Cache,  # why\n)\n",
    "shares-its-line": "from sglang.srt.cache import Cache; x = 1\n",
    "behind-a-colon": "if x: from sglang.srt.cache import Cache\n",
    "there": "from sglang.srt.cache import Pool\n",
}


@pytest.mark.parametrize(("before", "after"), PAIRS.values(), ids=PAIRS)
def test_rewrites(before: str, after: str) -> None:
    assert rewritten(before) == after
    assert rewritten(after) is None


@pytest.mark.parametrize(("before", "after"), BOTH.values(), ids=BOTH)
def test_rewrites_for_both(before: str, after: str) -> None:
    assert rewritten(before, both=True) == after
    assert rewritten(after, both=True) is None


@pytest.mark.parametrize("code", LEFT.values(), ids=LEFT)
def test_leaves_alone(code: str) -> None:
    assert rewritten(code) is None


@pytest.mark.parametrize(
    ("after", "sentence"),
    [
        pytest.param("from b import x\ny = 2\n", "something beside its imports", id="another-statement"),
        pytest.param("y = 1\n", "its imports would not bind", id="name-lost"),
        pytest.param("from c import x\ny = 1\n", "its imports would not bind", id="another-module"),
        pytest.param("from b import x, z\ny = 1\n", "its imports would not bind", id="name-added"),
        pytest.param("from b import\n", "does not parse", id="broken"),
    ],
)
def test_the_proof_fails(after: str, sentence: str) -> None:
    document = read_document("plugin.py", b"from a import x\ny = 1\n")
    assert isinstance(document, Document)
    fault = prove_moved(document, after.encode(), [("a.x", "b.x")])
    assert fault is not None
    assert sentence in fault.message
    assert prove_moved(document, b"from b import x\ny = 1\n", [("a.x", "b.x")]) is None


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from ratchet.cli.run import run

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    plugin = tmp_path / "plugin.py"
    text = (
        "import os\n\nfrom sglang.srt.distributed import get_pp_group\n"
        "from sglang.srt.server_args import PortArgs\n"
    )
    plugin.write_text(text)
    moved = (
        "plugin.py:3:36: sglang.srt.distributed.get_pp_group: moved in 0.5.21; it is"
        " sglang.srt.distributed.parallel_state.get_pp_group"
    )
    range_ = ["upgrade", "--from", "0.5.20", "--to", "0.5.21"]
    assert run([*range_, "plugin.py"]) == 1
    assert capsys.readouterr().out == (
        f"{moved} [can be rewritten]\n0.5.20 to 0.5.21: 1 moved, in 1 of 1 file\n"
    )
    assert run([*range_, "--write", "--diff", "plugin.py"]) == 0
    assert capsys.readouterr().out == (
        "--- a/plugin.py\n+++ b/plugin.py\n@@ -1,4 +1,4 @@\n import os\n \n"
        "-from sglang.srt.distributed import get_pp_group\n"
        "+from sglang.srt.distributed.parallel_state import get_pp_group\n"
        " from sglang.srt.server_args import PortArgs\n"
        "rewritten: 1 file\n0.5.20 to 0.5.21: nothing to do, in 1 of 1 file\n"
    )
    assert run([*range_, "--undo"]) == 0
    assert plugin.read_text() == text
    plugin.write_text("from sglang.srt.server_args import (\n")
    assert run([*range_, "plugin.py"]) == 3
    assert run([*range_, "nothing.py"]) == 2
    assert run(["upgrade", "--from", "0.5.21", "--to", "0.5.20"]) == 2
