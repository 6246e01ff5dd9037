"""The pieces that generated programs are made of: `{e}` is the record, `{f}` and `{d}` a field of its own."""

from __future__ import annotations

POOL = ("a", "b", "server_args")
ELSE = ("None", "Foo()")

HEAD = """\
import copy
from contextlib import nullcontext
from typing import cast
from othertool import Foo, boom, flip, guard, leak, same
"""
CONTEXT = "sglang.srt.runtime_context"
IMPORTS = (
    (f"from {CONTEXT} import get_server_args", "get_server_args()"),
    (f"from {CONTEXT} import get_server_args as gsa", "gsa()"),
    (f"import {CONTEXT} as ctx", "ctx.get_server_args()"),
    (f"import {CONTEXT}", f"{CONTEXT}.get_server_args()"),
    ("from sglang.srt import runtime_context", "runtime_context.get_server_args()"),
    (f"from {CONTEXT} import *", "get_server_args()"),
    (f"from {CONTEXT} import get_context", "get_context().server_args"),
    (f"from {CONTEXT} import get_server_args as g\nacc = g", "acc()"),
    (
        f"try:\n    from {CONTEXT} import get_server_args as opt\nexcept ImportError:\n    opt = None",
        "opt()",
    ),
)

READS = (
    "{e}.{f}",
    "{e}.{f}",
    "{e}.{f}.k",
    "{e}.{f}['k']",
    "{e}.{f}()",
    "{e}.{f}.get(1)",
    "getattr({e}, '{f}')",
    "getattr({e}, '{f}', None)",
    "hasattr({e}, '{f}')",
    "vars({e})['{f}']",
    'f"{{{e}.{f}}}"',
    "(lambda: {e}.{f})()",
    "getattr({e}, same('{d}'))",
    "setattr({e}, '{f}', 1)",
    "setattr({e}, same('{d}'), 1)",
    "{e}.override('s', {f}=1)",
    "{e}.override('s', **{{'{f}': 1}})",
    "{e}.override('s', **{{same('{d}'): 1}})",
)
STORES = (
    "{e}.{f} = 1",
    "{e}.{f} += 1",
    "{e}.{f}, z = 1, 2",
    "z = {e}.{f} = 1",
    "del {e}.{f}",
    "{e}.{f}.append(1)",
    "{e}.{f}['k'] = 1",
    "{e}.{f}.k = 1",
    "del {e}.{f}['k']",
    "vars({e})['{f}'] = 1",
    "vars({e}).update({f}=1)",
    "del vars({e})['{f}']",
    "for {e}.{f} in (1, 2): pass",
    "for z in ('{f}',): getattr({e}, z)",
    "with guard as {e}.{f}: pass",
    "d = {{}}; d['{f}'] = 1; {e}.override('s', **d)",
)
ESCAPES = (
    "leak({e})",
    "leak(x={e})",
    "leak([{e}])",
    "leak([1, ({e},)])",
    "leak({{'k': {e}}})",
    "leak({e} for z in (1, 2))",
    "leak(lambda: {e})",
    "leak(lambda z={e}: z)",
    "leak(*[{e}])",
)
REBINDS = (
    "{n} = Foo()",
    "{n} = 1",
    "{n}, z = Foo(), 1",
    "z = {n} = None",
    "del {n}\n{n} = Foo()",
    "import othertool as {n}",
    "def {n}(): pass",
    "class {n}: pass",
    "{n}: int = 1",
    "if ({n} := Foo()): pass",
    "if flip():\n    {n} = Foo()\nelse:\n    {n} = None",
    "try:\n    pass\nfinally:\n    {n} = Foo()",
    "for z in (1,):\n    pass\nelse:\n    {n} = Foo()",
)
