"""What a newer release breaks in small pieces of code that use it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ratchet.syntax.document import Document, read_document
from ratchet.upgrade.fate import Judge
from ratchet.upgrade.model import Finding
from ratchet.upgrade.records import Records
from ratchet.upgrade.rewrite import Rewriter
from tests.shipped import PACK
from tests.surface.trees import releases

JUDGE = Judge(releases(), PACK)
RECORDS = Records(JUDGE)


def judged(code: str, own: Callable[[str], bool] = lambda _dotted: False) -> list[Finding]:
    """The findings in a piece of code."""
    document = read_document("plugin.py", code.encode())
    assert isinstance(document, Document)
    return list(rewriter(own).settle(document, code.encode(), 88).findings)


def rewriter(own: Callable[[str], bool] = lambda _dotted: False, both: bool = False) -> Rewriter:
    """What rewrites a file that no other imports from."""
    return Rewriter(JUDGE, RECORDS, own, lambda _path, _module, _name: False, both)


def told(finding: Finding) -> str:
    """A finding on one line."""
    guarded = "guarded " if finding.guarded else ""
    rewritable = " *" if finding.rewritable else ""
    place = f"{finding.span.line}:{finding.span.column}"
    what = finding.what.removeprefix("sglang.srt.")
    head = f"{place} {guarded}{finding.kind} {what} {finding.change} {finding.since or '-'}{rewritable}"
    kept = f" ({finding.kept})" if finding.kept else ""
    return f"{head}: {finding.advice}{kept}".replace("sglang.srt.", "").removesuffix(": ")


FIELDS = "read its fields off their namespaces, or write runtime_context.get_server_args"
OTHER = "(what it gives is used in other ways than to read fields)"
STILL = "(it is still used, or others may import it from here)"

FOUND = {
    "moved": (
        "from sglang.srt.cache import Cache",
        ["1:30 import cache.Cache moved 1.1 *: it is mem.cache.Cache"],
    ),
    "moved-renamed": (
        "from sglang.srt.cache import Cache as C, Pool",
        ["1:30 import cache.Cache moved 1.1 *: it is mem.cache.Cache"],
    ),
    "moved-with-its-module": (
        "from sglang.srt.gone import Worker",
        ["1:29 import gone.Worker moved 2.0 *: it is jobs.worker.Worker"],
    ),
    "gone-with-its-module": ("from sglang.srt.gone import Task", ["1:29 import gone.Task gone 2.0"]),
    "gone-and-a-name-like-it": (
        "from sglang.srt.cache import evict",
        ["1:30 import cache.evict gone 2.0"],
    ),
    "two-homes": (
        "from sglang.srt.cache import twice",
        ["1:30 import cache.twice moved 2.0: perhaps mem.a.twice, or mem.b.twice"],
    ),
    "module": ("import sglang.srt.gone", ["1:8 module gone gone 2.0"]),
    "module-renamed": (
        "import sglang.srt.gone as g\ng.Worker\ng.Task",
        [
            "1:8 module gone gone 2.0",
            "2:1 attribute gone.Worker moved 2.0 *: it is jobs.worker.Worker",
            "3:1 attribute gone.Task gone 2.0",
        ],
    ),
    "module-imported-from-its-package": (
        "from sglang.srt import gone",
        ["1:24 import gone gone 2.0"],
    ),
    "attribute-of-a-module-imported-from-its-package": (
        "from sglang.srt.jobs import deep\ndeep.Deep, deep.other",
        ["1:29 import jobs.deep gone 2.0", "2:1 attribute jobs.deep.Deep moved 2.0 *: it is jobs.new.Deep"],
    ),
    "attribute-of-a-module": (
        "import sglang.srt.cache\nsglang.srt.cache.Cache(1)\nsglang.srt.cache.Pool()",
        ["2:1 attribute cache.Cache moved 1.1 *: it is mem.cache.Cache"],
    ),
    "attribute-of-a-renamed-module": (
        "from sglang.srt import cache as c\ndef f():\n    return c.Cache",
        ["3:12 attribute cache.Cache moved 1.1 *: it is mem.cache.Cache"],
    ),
    "by-name": (
        'import sglang.srt.cache as c\ngetattr(c, "Cache")\nmonkey.setattr(c, "evict", 1)\n'
        'patch.object(c, "evict")',
        [
            "2:1 attribute cache.Cache moved 1.1: it is mem.cache.Cache (it is asked for by its name)",
            "3:1 attribute cache.evict gone 2.0",
            "4:1 attribute cache.evict gone 2.0",
        ],
    ),
    "by-name-with-a-default": (
        'import sglang.srt.cache as c\ngetattr(c, "evict", None)\nhasattr(c, "evict")',
        [
            "2:1 guarded attribute cache.evict gone 2.0",
            "3:1 guarded attribute cache.evict gone 2.0",
        ],
    ),
    "string": (
        '@patch("sglang.srt.cache.Cache")\ndef test(): ...',
        ["1:8 string cache.Cache moved 1.1 *: it is mem.cache.Cache"],
    ),
    "string-of-a-module": ('import_module("sglang.srt.gone")', ["1:15 string gone gone 2.0"]),
    "star": (
        "from sglang.srt.cache import *",
        ["1:30 star cache unknown -: name what it imports, so that it can be judged"],
    ),
    "star-of-what-is-gone": (
        "from sglang.srt.gone import *",
        [
            "1:29 star gone gone 2.0: the module is not there;"
            " import the names that are used from where they are now"
        ],
    ),
    "in-a-function": (
        "def f():\n    from sglang.srt.cache import Cache\n    return Cache",
        ["2:34 import cache.Cache moved 1.1 *: it is mem.cache.Cache"],
    ),
    "guarded": (
        "try:\n    from sglang.srt.cache import evict\nexcept ImportError:\n    evict = None",
        ["2:34 guarded import cache.evict gone 2.0"],
    ),
    "no-branch-is-there": (
        "try:\n    from sglang.srt.gone import Task\n"
        "except ImportError:\n    from sglang.srt.cache import Task",
        ["2:33 guarded import gone.Task gone 2.0", "4:34 guarded import cache.Task absent -"],
    ),
    "another-handler-guards-nothing": (
        "try:\n    from sglang.srt.cache import evict\nexcept KeyError:\n    evict = None",
        ["2:34 import cache.evict gone 2.0"],
    ),
    "handler-of-the-import-alone": (
        "try:\n    from sglang.srt.server_args import get_global_server_args as get\n    get()\n"
        "except ImportError:\n    pass",
        [
            f"2:40 import server_args.get_global_server_args refuses 2.0: {FIELDS} {STILL}",
            f"3:5 call server_args.get_global_server_args refuses 2.0: {FIELDS} {OTHER}",
        ],
    ),
    "handler-of-everything": (
        "try:\n    from sglang.srt.server_args import get_global_server_args as get\n    get()\n"
        "except Exception:\n    pass",
        [
            f"2:40 guarded import server_args.get_global_server_args refuses 2.0: {FIELDS}",
            f"3:5 guarded call server_args.get_global_server_args refuses 2.0: {FIELDS}",
        ],
    ),
    "absent": ("from sglang.srt.cache import Nothing", ["1:30 import cache.Nothing absent -"]),
    "open": (
        "from sglang.srt.lazy import perhaps",
        ["1:29 import lazy.perhaps unknown -: the module answers to names only when it runs; try it"],
    ),
    "refuses": (
        "from sglang.srt.server_args import get_global_server_args\nx = get_global_server_args()",
        [
            f"1:36 import server_args.get_global_server_args refuses 2.0: {FIELDS} {STILL}",
            f"2:5 call server_args.get_global_server_args refuses 2.0: {FIELDS} {OTHER}",
        ],
    ),
    "refuses-and-is-read": (
        "from sglang.srt.server_args import get_global_server_args as get\n\n\n"
        "def f():\n    return get().page_size\n",
        [
            "1:36 import server_args.get_global_server_args refuses 2.0 *: it goes with its last use",
            "5:12 call server_args.get_global_server_args refuses 2.0 *: write get_memory().page_size",
        ],
    ),
    "field": (
        "def f(server_args):\n    return server_args.old_flag, server_args.page_size",
        ["2:12 field ServerArgs.old_flag gone 2.0"],
    ),
    "field-by-name": (
        'def f(server_args):\n    return getattr(server_args, "old_flag", None)',
        ["2:12 guarded field ServerArgs.old_flag gone 2.0"],
    ),
    "field-of-an-alias": (
        "from sglang.srt.runtime_context import get_server_args\nsa = get_server_args()\nsa.old_flag = 1",
        ["3:1 field ServerArgs.old_flag gone 2.0"],
    ),
    "field-given-to-the-class": (
        "from sglang.srt.server_args import ServerArgs\nServerArgs(page_size=1, old_flag=2)",
        ["2:1 keyword server_args.ServerArgs(old_flag=) gone 2.0: leave it out"],
    ),
    "method": (
        'def f(server_args):\n    server_args.override("me", page_size=2)',
        ["2:5 method ServerArgs.override gone 2.0: write runtime_context.get_context().override"],
    ),
    "method-of-any-keywords": (
        "def f(server_args, **more):\n    call = server_args.override\n    call(**more)",
        ["2:12 method ServerArgs.override gone 2.0: write runtime_context.get_context().override"],
    ),
    "method-that-is-asked-for-first": (
        'def f(server_args, **more):\n    call = getattr(server_args, "override", None)\n'
        "    if callable(call):\n        call(**more)\n\n\ndef g(server_args):\n    server_args.override()",
        [
            "2:12 guarded method ServerArgs.override gone 2.0: write runtime_context.get_context().override",
            "4:9 guarded method ServerArgs.override gone 2.0: write runtime_context.get_context().override",
            "8:5 method ServerArgs.override gone 2.0: write runtime_context.get_context().override",
        ],
    ),
    "keyword-of-a-method": (
        "from sglang.srt.server_args import ServerArgs\nServerArgs.url(x, secure=True)",
        ["2:1 keyword server_args.ServerArgs.url(secure=) gone 2.0: leave it out"],
    ),
    "keyword-of-a-method-of-a-record": (
        "def f(server_args):\n    return server_args.url(secure=True)",
        ["2:12 keyword ServerArgs.url(secure=) gone 2.0: leave it out"],
    ),
    "leaf": (
        "from sglang.srt.runtime_context import get_exec\nget_exec().moe.old_flag",
        ["2:1 leaf exec.moe.old_flag gone 2.0"],
    ),
    "leaf-of-no-release": (
        "from sglang.srt.runtime_context import get_exec\nget_exec().moe.old_flags",
        ["2:1 leaf exec.moe.old_flags absent -"],
    ),
    "leaf-that-moved": (
        "from sglang.srt.runtime_context import get_exec\nget_exec().moe.pages",
        ["2:1 leaf exec.moe.pages moved 2.0 *: write get_memory().pages"],
    ),
    "override-of-what-is-gone": (
        'from sglang.srt.runtime_context import get_context\nget_context().override("me", old_flag=1)',
        ["2:1 leaf exec.moe.old_flag gone 2.0"],
    ),
    "subclass": (
        "from sglang.srt.server_args import ServerArgs\nclass Mine(ServerArgs):\n"
        "    def override(self, source, **fields): ...\n    def url(self): ...",
        [
            "2:12 subclass server_args.ServerArgs changed 2.0: it was `@dataclass class()` and is"
            " `@dataclass class() by make`; look at what the subclass relies on",
            "3:5 method server_args.ServerArgs.override gone 2.0",
        ],
    ),
}

IGNORED = {
    "there": "from sglang.srt.cache import Pool\nPool.anything",
    "passed-on": "from sglang.srt.utils import helper, LIMIT",
    "package-without-a-file": "import sglang.srt.mem\nfrom sglang.srt import mem, jobs",
    "lazy": "from sglang.srt.lazy import later",
    "another-package": "from vllm.cache import Cache\nfrom sglang.lang.ir import Gone",
    "relative": "from .cache import Cache\nfrom ..srt.gone import Worker",
    "covered": (
        "try:\n    from sglang.srt.mem.cache import Cache\n"
        "except ImportError:\n    from sglang.srt.cache import Cache as Cache"
    ),
    "covered-the-other-way-round": (
        "try:\n    from sglang.srt.cache import Cache\n"
        "except ImportError:\n    from sglang.srt.mem.cache import Cache"
    ),
    "covered-and-used": (
        "try:\n    import sglang.srt.mem.cache as c\n"
        "except ImportError:\n    import sglang.srt.cache as c\nc.Cache()"
    ),
    "shadowed": "import sglang.srt.cache as c\ndef f(c):\n    return c.Cache",
    "string-of-nothing": 'log("sglang.srt.no.such")\nlog("sglang.srt.cache.Cache is here")',
    "field-that-stays": "def f(server_args):\n    return server_args.page_size, server_args.device",
    "field-of-another-object": "def f(server_args, args):\n    return server_args.mine, args.old_flag",
    "leaf-that-stays": (
        "from sglang.srt.runtime_context import get_parallel\nget_parallel().tp_size, get_parallel().tp_rank"
    ),
    "override-of-what-moved": (
        'from sglang.srt.runtime_context import get_context\nget_context().override("me", pages=1)'
    ),
    "any-keywords-of-what-stays": "def f(server_args, **more):\n    call = server_args.url\n    call(**more)",
    "keyword-that-stays": (
        "from sglang.srt.server_args import ServerArgs\nServerArgs.url(x, port=1)\nServerArgs(**y)"
    ),
    "subclass-of-what-stays": "from sglang.srt.cache import Pool\nclass Mine(Pool):\n    def any(self): ...",
}


@pytest.mark.parametrize(("code", "lines"), FOUND.values(), ids=FOUND)
def test_finds(code: str, lines: list[str]) -> None:
    assert [told(finding) for finding in judged(code)] == lines


@pytest.mark.parametrize("code", IGNORED.values(), ids=IGNORED)
def test_ignores(code: str) -> None:
    assert [told(finding) for finding in judged(code)] == []


def test_what_a_fork_defines_itself() -> None:
    code = "from sglang.srt.gone import Task"
    assert judged(code, lambda dotted: dotted == "sglang.srt.gone.Task") == []
    code = "def f(server_args):\n    return server_args.old_flag"
    assert judged(code, lambda dotted: dotted == "sglang.srt.server_args.ServerArgs") == []
    code = "from sglang.srt.runtime_context import get_exec\nget_exec().moe.old_flag"
    assert judged(code, lambda dotted: dotted.startswith("sglang.srt.runtime_context.")) == []
