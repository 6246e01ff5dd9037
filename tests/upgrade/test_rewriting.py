"""Moved imports rewritten: pairs of before and after, for the newer engine alone and for both."""

from __future__ import annotations

import pytest

from ratchet.syntax.document import Document, read_document
from ratchet.upgrade.imports import prove_moved
from ratchet.upgrade.rewrite import Settled
from tests.upgrade.test_report import rewriter


def settle(code: str, both: bool = False) -> Settled:
    """What becomes of the code."""
    document = read_document("plugin.py", code.encode())
    assert isinstance(document, Document)
    return rewriter(both=both).settle(document, code.encode(), 88)


def rewritten(code: str, both: bool = False) -> str | None:
    """The code rewritten; None where nothing is done."""
    settled = settle(code, both)
    assert settled.problem is None, settled.problem.message
    return settled.rewritten.new.decode() if settled.rewritten is not None else None


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

GETTER = "from sglang.srt.server_args import get_global_server_args\n"
MEMORY = "from sglang.srt.runtime_context import get_memory\n"
RANK = "from sglang.srt.layers.dp_attention import get_attention_tp_rank\n"
PARALLEL = "from sglang.srt.runtime_context import get_parallel\n"
TOO = "it is to work with 1.0 too, which has no sglang.srt"


def body(*lines: str) -> str:
    """A function of these lines."""
    return "\n\ndef f():\n" + "".join(f"    {line}\n" for line in lines)


EXPRESSIONS = {
    "read": (
        GETTER + body("return get_global_server_args().page_size + 1"),
        MEMORY + body("return get_memory().page_size + 1"),
    ),
    "alias": (
        GETTER + body("sa = get_global_server_args()", "return sa.page_size + sa.pages"),
        MEMORY + body("return get_memory().page_size + get_memory().pages"),
    ),
    "beside-another-record": (
        GETTER
        + body("return get_global_server_args().page_size", "def g(server_args):", "    server_args.url()"),
        MEMORY + body("return get_memory().page_size", "def g(server_args):", "    server_args.url()"),
    ),
    "off-the-module": (
        "from sglang.srt import server_args as s\n"
        + body("return s.get_global_server_args().pages, s.ServerArgs"),
        "from sglang.srt import server_args as s\n"
        + MEMORY
        + body("return get_memory().pages, s.ServerArgs"),
    ),
    "within-a-try-for-values": (
        "def f():\n    try:\n        from sglang.srt.server_args import get_global_server_args\n\n"
        "        return get_global_server_args().pages\n    except ValueError:\n        return 1\n",
        "def f():\n    from sglang.srt.runtime_context import get_memory\n\n    try:\n"
        "        return get_memory().pages\n    except ValueError:\n        return 1\n",
    ),
    "retired-call": (
        "from sglang.srt.layers.dp_attention import get_attention_tp_rank as rank, keep\n"
        + body("return rank() + keep()"),
        "from sglang.srt.layers.dp_attention import keep\n"
        + PARALLEL
        + body("return get_parallel().attn_tp_rank + keep()"),
    ),
    "retired-call-off-the-module": (
        "from sglang.srt.layers import dp_attention\n" + body("return dp_attention.get_attention_tp_rank()"),
        PARALLEL + body("return get_parallel().attn_tp_rank"),
    ),
    "leaf-of-another-namespace": (
        "from sglang.srt.runtime_context import get_exec\n" + body("return get_exec().moe.pages"),
        MEMORY + body("return get_memory().pages"),
    ),
    "moved-import-and-call": (
        "from sglang.srt.cache import Cache\n" + RANK + body("return Cache(get_attention_tp_rank())"),
        "from sglang.srt.mem.cache import Cache\n"
        + PARALLEL
        + body("return Cache(get_parallel().attn_tp_rank)"),
    ),
    "attribute": (
        "import sglang.srt.cache\n\nsglang.srt.cache.Cache(1)\n",
        "from sglang.srt.mem import cache\n\ncache.Cache(1)\n",
    ),
    "attribute-of-a-renamed-module": (
        "from sglang.srt import cache as c\n" + body("return c.Cache, c.Pool"),
        "from sglang.srt import cache as c\nfrom sglang.srt.mem import cache\n"
        + body("return cache.Cache, c.Pool"),
    ),
    "patched-path": (
        "from unittest.mock import patch\n\n\n@patch('sglang.srt.cache.Cache')\ndef test(made): ...\n",
        "from unittest.mock import patch\n\n\n@patch('sglang.srt.mem.cache.Cache')\ndef test(made): ...\n",
    ),
}

LEFT = {
    "written-further-down": (
        GETTER
        + body("return get_global_server_args().page_size")
        + "\n\ndef g(server_args):\n    server_args.page_size = 1\n",
        "get_global_server_args().page_size: "
        "the record's own value is written by plugin.py:9 (g: owner-elsewhere)",
    ),
    "two-homes": ("from sglang.srt.cache import twice\n", ""),
    "gone": ("from sglang.srt.cache import evict\n", ""),
    "guarded": ("try:\n    from sglang.srt.cache import Cache\nexcept ImportError:\n    Cache = None\n", ""),
    "comment-inside": (
        "from sglang.srt.cache import (\n    Cache,  # why\n)\n",
        "its statement holds a comment or shares its line",
    ),
    "shares-its-line": (
        "from sglang.srt.cache import Cache; x = 1\n",
        "its statement holds a comment or shares its line",
    ),
    "behind-a-colon": (
        "if x: from sglang.srt.cache import Cache\n",
        "its statement holds a comment or shares its line",
    ),
    "there": ("from sglang.srt.cache import Pool\n", ""),
    "record-handed-on": (
        GETTER + body("sa = get_global_server_args()", "print(sa)", "return sa.page_size"),
        "what it gives is used in other ways than to read fields",
    ),
    "record-written": (
        GETTER + body("get_global_server_args().pages = 3"),
        "get_global_server_args().pages: it is written, and not only read",
    ),
    "live-value": (
        GETTER + body("return get_global_server_args().tp_size"),
        "get_global_server_args().tp_size: on the namespace parallel, tp_size is a live value of its own",
    ),
    "import-time": (
        GETTER + "\nPAGES = get_global_server_args().pages\n",
        "get_global_server_args().pages: it runs while the module is imported: nothing is published yet",
    ),
    "import-that-may-fail": (
        "def f():\n    try:\n        from sglang.srt.server_args import get_global_server_args\n\n"
        "        return get_global_server_args().pages\n"
        "    except (ImportError, ValueError):\n        return 1\n",
        "its import would leave the `try` that catches that it is missing",
    ),
    "call-with-arguments": (
        RANK + body("return get_attention_tp_rank(1)"),
        "the call is given arguments, and its replacement takes none",
    ),
    "function-as-a-value": (
        RANK + body("return map(get_attention_tp_rank, x)"),
        "it is still used, or others may import it from here",
    ),
    "generated": (
        "# @generated by a tool\n" + RANK + body("return get_attention_tp_rank()"),
        "the file says of itself: @generated by a tool",
    ),
    "stored-attribute": (
        "from sglang.srt import cache as c\n\nc.Cache = 1\n",
        "it is stored to, and who reads it may find it elsewhere",
    ),
    "attribute-by-name": (
        'from sglang.srt import cache as c\n\nsetattr(c, "Cache", 1)\n',
        "it is asked for by its name",
    ),
    "attribute-whose-module-is-shadowed": (
        "from sglang.srt import cache\n" + body("return cache.Cache"),
        "`cache` means something else here since line 1",
    ),
    "attribute-imported-in-a-branch": (
        body("if x:", "    from sglang.srt import cache as c", "    return c.Cache"),
        "its import stands in a branch, which it would leave",
    ),
    "path-in-another-text": (
        'PLACE = "sglang.srt.cache.Cache"\n',
        "nothing says that the text names a place to be replaced",
    ),
}

LEFT_FOR_BOTH = {
    "read": (
        GETTER + body("return get_global_server_args().pages"),
        f"{TOO}.runtime_context.get_memory",
    ),
    "attribute": (
        "import sglang.srt.cache\n\nsglang.srt.cache.Cache(1)\n",
        f"{TOO}.mem.cache.Cache",
    ),
    "patched-path": (
        "@patch('sglang.srt.cache.Cache')\ndef test(made): ...\n",
        f"{TOO}.mem.cache.Cache",
    ),
}


@pytest.mark.parametrize(("before", "after"), PAIRS.values(), ids=PAIRS)
def test_rewrites(before: str, after: str) -> None:
    assert rewritten(before) == after
    assert rewritten(after) is None


@pytest.mark.parametrize(("before", "after"), BOTH.values(), ids=BOTH)
def test_rewrites_for_both(before: str, after: str) -> None:
    assert rewritten(before, both=True) == after
    assert rewritten(after, both=True) is None


@pytest.mark.parametrize(("before", "after"), EXPRESSIONS.values(), ids=EXPRESSIONS)
def test_rewrites_expressions(before: str, after: str) -> None:
    assert rewritten(before) == after
    assert rewritten(after) is None
    settled = settle(after)
    assert not settled.findings


def test_rewrites_calls_for_both() -> None:
    before = RANK + body("return get_attention_tp_rank()")
    assert rewritten(before, both=True) == PARALLEL + body("return get_parallel().attn_tp_rank")


@pytest.mark.parametrize(("code", "reason"), LEFT.values(), ids=LEFT)
def test_leaves_alone(code: str, reason: str) -> None:
    assert rewritten(code) is None
    reasons = {finding.kept for finding in settle(code).findings}
    assert reason in reasons or not (reason or reasons)
    assert not any(finding.rewritable for finding in settle(code).findings)


@pytest.mark.parametrize(("code", "reason"), LEFT_FOR_BOTH.values(), ids=LEFT_FOR_BOTH)
def test_leaves_alone_for_both(code: str, reason: str) -> None:
    assert rewritten(code) is not None
    assert rewritten(code, both=True) is None
    assert reason in {finding.kept for finding in settle(code, both=True).findings}


def test_only_what_goes_can_be_rewritten() -> None:
    """Of two calls alike one stays: it is told which."""
    code = RANK + body("return get_attention_tp_rank(), get_attention_tp_rank(1)")
    found = [(one.kind, one.span.column, one.rewritable) for one in settle(code).findings]
    assert found == [("import", 44, False), ("call", 12, True), ("call", 37, False)]


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
