"""The pieces that programs are made of: how the record is reached, read, written, bound and hidden.

`{r}` and `{s}` are expressions of the record, `{f}` and `{g}` fields, `{n}` a name.
"""

from __future__ import annotations

_RUNTIME = "sglang.srt.runtime_context"

# A module's imports, and what gives the record after them.
HEADERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (f"from {_RUNTIME} import get_server_args", ("get_server_args()",)),
    (f"from {_RUNTIME} import get_server_args", ("get_server_args()",)),
    (f"from {_RUNTIME} import get_server_args as gsa", ("gsa()",)),
    (f"from {_RUNTIME} import get_parallel as get_schedule, get_server_args", ("get_server_args()",)),
    (
        f"from {_RUNTIME} import get_context, get_server_args",
        ("get_server_args()", "get_context().server_args"),
    ),
    (f"import {_RUNTIME} as rc", ("rc.get_server_args()", "rc.get_context().server_args")),
    (f"import {_RUNTIME}", (f"{_RUNTIME}.get_server_args()",)),
    ("from sglang.srt import runtime_context", ("runtime_context.get_server_args()",)),
    ("from ..runtime_context import get_server_args", ("get_server_args()",)),
    (f"from {_RUNTIME} import *", ("get_server_args()",)),
    ("from sglang.srt.server_args import get_global_server_args", ("get_global_server_args()",)),
    (
        f"try:\n    from {_RUNTIME} import get_server_args\nexcept ImportError:\n    get_server_args = None",
        ("get_server_args()",),
    ),
    (
        f"if True:\n    from {_RUNTIME} import get_server_args\n"
        "else:\n    from sglang.missing import get_server_args",
        ("get_server_args()",),
    ),
    (
        f"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from {_RUNTIME} import get_schedule\n"
        f"from {_RUNTIME} import get_server_args",
        ("get_server_args()",),
    ),
    (
        f"from {_RUNTIME} import get_server_args\n\nCONFIG = get_server_args()",
        ("CONFIG", "get_server_args()"),
    ),
    (
        f"from {_RUNTIME} import get_server_args\n\ndef _args():\n    return get_server_args()",
        ("_args()", "get_server_args()"),
    ),
    (
        f"from {_RUNTIME} import get_server_args\n\n_kept = None\n\ndef _args():\n    global _kept\n"
        "    if _kept is None:\n        _kept = get_server_args()\n    return _kept",
        ("_args()", "get_server_args()"),
    ),
    (
        f"from {_RUNTIME} import get_server_args\n\nclass _Home:\n    args = get_server_args()\n"
        "    size = args.page_size\n    @classmethod\n    def get(cls):\n        return cls.args",
        ("_Home.args", "_Home.get()", "get_server_args()"),
    ),
)

LOCAL_IMPORTS: tuple[tuple[str, str], ...] = (
    (f"from {_RUNTIME} import get_server_args", "get_server_args()"),
    (f"from {_RUNTIME} import get_server_args as fetch", "fetch()"),
    (f"import {_RUNTIME} as context", "context.get_server_args()"),
    (f"from {_RUNTIME} import get_context", "get_context().server_args"),
)

EXPRESSIONS = (
    'getattr({r}, "{f}")',
    'getattr({r}, "{f}", 1)',
    'hasattr({r}, "{f}")',
    'vars({r})["{f}"]',
    "({r}.{f} if {s}.{g} else -1)",
    "({r}.{f} or {s}.{g})",
    "(not {r}.{f})",
    "-{r}.{f} ** 2",
    "({r}.{f} + {s}.{g} * 2)",
    "({r}.{f} < {s}.{g} < 20)",
    "[{r}.{f} + {n} for {n} in range(2)]",
    "[{n} for {n} in range({r}.{f} % 4) if {s}.{g}]",
    "dict([({r}.{f}, {s}.{g})])",
    "sum({r}.{f} for {n} in (1, 2))",
    "(lambda: {r}.{f})()",
    "(lambda {n}={r}.{f}: {n})()",
    "(lambda sa={r}: sa.{f})()",
    "({n} := {r}).{f}",
    "({n} := {r}.{f})",
    "{r}.{f}.bit_length()",
    "(\n        {r}\n        .{f}\n    )",
    "max({r}.{f}, {s}.{g}, key=lambda {n}: -{n})",
    "({r}).{f}",
    "[{r}.{f}, *[{s}.{g}]][0]",
    "dict({f}={r}.{f})",
    "(({r}.{f})if({s}.{g})else 0)",
    "{r}.nope",
    'getattr({r}, "nope", {s}.{g})',
)

# The record leaves under a name that says nothing of it: what reads it there is not followed.
ESCAPES = (
    "(lambda sa: sa.{f})({r})",
    "next(iter([{r}])).{f}",
    "dict(a={r})['a'].{f}",
)

TEXTS = (
    "f'''{{{a}}}'''",
    "f'''{{ {a} = }}'''",
    "f'''{{{a}!r:>12}}|{{{b}}}'''",
    "f'''{{{a}:>{{4}}}}'''",
    'str({a}) + "get_server_args().page_size"',
    '"%s" % ({a},)',
    "[{a} for {n} in (0,)][0], {b}",
    "{a} == {b}",
)

VALUES = (
    "{d}",
    "{d}",
    "{a}",
    "{r}.page_size + {d}",
    "1 // {d}",
    '(note("value", {d}) or {d})',
    "{d} if {a} else 2",
    "{h}({r}) if False else {d}",
    "[{d}][0]",
)

STORES = (
    "{r}.{f} = {v}",
    "{r}.{f} = {v}",
    "{r}.{f} = {v}\n{r}.{g} = {w}",
    "{r}.{f} = {v}; {s}.{g} = {w}",
    "{r}.{f} += 1",
    "{r}.{f} *= {v}",
    "{r}.{f} = {s}.{g} = {d}".replace("{d}", "3"),
    "{n} = {r}.{f} = {v}",
    "{r}.{f}, {s}.{g} = {v}, {w}",
    "{r}.{f}, {s}.{g} = {s}.{g}, {r}.{f}",
    "{r}.{f}: int = {v}",
    'setattr({r}, "{f}", {v})',
    '{r}.override("why", {f}={v})',
    '{r}.override("why", {f}={v}, {g}={w})',
    '{r}.override(source="why", {f}={v})',
    '{r}.override("why", **{{"{f}": {v}}})',
    "for {r}.{f} in range(2):\n    pass",
    "({n}, {r}.{f}) = (1, {v})",
)

BINDINGS = (
    "{n} = {r}",
    "{n} = {r}",
    "{n}: object = {r}",
    "{n}, other = {r}, 1",
    "{n} = {r} if {s}.{f} else {s}",
    "{n} = {r} or {s}",
    "if ({n} := {r}).{f}:\n    note('walrus', {n}.{f})",
    "{n} = other = {r}",
    "if {s}.{f}:\n    {n} = {r}\nelse:\n    {n} = {s}",
    "for {n} in ({r},):\n    note('loop', {n}.{f})",
    "{n} = {r}\ndel {n}\n{n} = {s}",
    "try:\n    {n} = {r}\nexcept Error:\n    {n} = None",
)

COLLISIONS = (
    "{n} = 4\nnote('{k}', {n}, {a})",
    "for {n} in (1, 2):\n    note('{k}', {n}, {a})",
    "note('{k}', [{n} + {a} for {n} in (1,)])",
    "note('{k}', (lambda {n}: ({n}, {a}))(2))",
    "def {k}({n}):\n    return {n}, {a}\nnote('{k}', {k}(5))",
    "def {n}():\n    return 6\nnote('{k}', {n}(), {a})",
    "class {n}:\n    size = 1\nnote('{k}', {n}.size, {a})",
    "try:\n    raise Error('x')\nexcept Error as {n}:\n    note('{k}', str({n}), {a})",
    "with contextlib.nullcontext(3) as {n}:\n    note('{k}', {n}, {a})",
    "import copy as {n}\nnote('{k}', {n}.__name__, {a})",
    "note('{k}', ({n} := 8), {a})",
    "class {k}:\n    {n} = 9\n    size = {a}\nnote('{k}', {k}.{n}, {k}.size)",
    "match 3:\n    case {n}:\n        note('{k}', {n}, {a})",
    "def {k}():\n    global {n}\n    {n} = 1\n    return {a}\nnote('{k}', {k}())",
)

MEMBERS = (
    "@property\ndef size(self):\n    return self.server_args.{f}",
    "@property\ndef size(self):\n    args = self.server_args\n    return args.{f}, args.{g}",
    "@property\ndef args(self):\n    return self.server_args\n"
    "@property\ndef size(self):\n    return self.args.{f}",
    "size = 5",
    "@staticmethod\ndef make(server_args):\n    return Holder(server_args)\n@property\ndef size(self):\n"
    "    return self.make(self.server_args).server_args.{f}",
)
