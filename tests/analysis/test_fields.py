"""What an access carries beside its line in the contract: place, form, root, scope, code, namespace.

In the snippets, ⟦ and ⟧ stand around the expression that the access is for; they are taken out before the
analysis, and where they stood is the span that it must report.
"""

from __future__ import annotations

import sys

import pytest

from ratchet.model import Access, Span
from tests.analysis.cases import accesses, render

G = "from sglang.srt.runtime_context import get_server_args\n"
N = "from sglang.srt.runtime_context import get_context, get_exec, get_parallel\n"
S = "from sglang.srt.server_args import ServerArgs\n"

READ = "⟦get_server_args().tp_size⟧"


def unmarked(code: str) -> tuple[str, Span]:
    before, rest = code.split("⟦")
    inside, after = rest.split("⟧")
    (line, column), (end_line, end_column) = place(before), place(before + inside)
    return before + inside + after, Span(line, column, end_line, end_column)


def place(text: str) -> tuple[int, int]:
    lines = text.split("\n")
    return len(lines), len(lines[-1]) + 1


def only(code: str, path: str = "srt/example.py") -> Access:
    found = accesses(code, path)
    assert len(found) == 1, [render(access) for access in found]
    return found[0]


SPANS = [
    ("direct", G + f"x = {READ}\n"),
    ("indented", G + f"def f():\n    if x:\n        return {READ}\n"),
    ("in parentheses", G + f"x = ({READ})\n"),
    ("record in parentheses", G + "x = ⟦(get_server_args()).tp_size⟧\n"),
    ("over several lines", G + "x = (\n    ⟦get_server_args()\n    .tp_size⟧\n)\n"),
    ("continued line", G + "x = 1 + \\\n    ⟦get_server_args() \\\n    .tp_size⟧\n"),
    ("second statement of a line", G + f"x = 1; y = {READ}\n"),
    ("after a tab", G + f"def f():\n\treturn\t{READ}\n"),
    ("after a string that is not ASCII", G + f"x = 'größe', {READ}\n"),
    ("after characters outside of the basic plane", G + f"x = '🦀🦀', {READ}\n"),
    ("after a combining character", G + f"x = 'e\u0301', {READ}\n"),
    ("after a name that is not ASCII", G + f"größe = {READ}\n"),
    ("after lines that are not ASCII", G + f"# größe 🦀\nx = 'ü'\ny = {READ}\n"),
    ("over lines that are not ASCII", G + "x = ('ü', ⟦get_server_args(  # ü\n).tp_size⟧, 'ü')\n"),
    ("in a file with CRLF", (G + f"x = 1\ny = {READ}\n").replace("\n", "\r\n")),
    ("after a form feed", G + f"\f\nx = {READ}\n"),
    ("after a string over several lines", G + f'x = """\nü\n""", {READ}\n'),
    ("without a last newline", G + f"x = {READ}"),
    ("in an f-string", G + f"x = f'a {{{READ}}}'\n"),
    ("in a list over several lines", G + f"x = [\n    1,\n    {READ},\n]\n"),
    ("in a decorator", G + f"@register({READ})\ndef f(): pass\n"),
    ("alias", G + "sa = get_server_args()\nx = 1 + ⟦sa.tp_size⟧\n"),
    ("walrus", G + "x = ⟦(sa := get_server_args()).tp_size⟧\n"),
    ("chain", "def f(x):\n    return ⟦x.a.server_args.tp_size⟧.b.c\n"),
    ("subscript of a field", "def f(server_args):\n    return ⟦server_args.d⟧['k']\n"),
    ("method of a field's value", "def f(server_args):\n    return ⟦server_args.path⟧.lower()\n"),
    ("getattr", "def f(server_args):\n    return 1 + ⟦getattr(server_args, 'x', None)⟧\n"),
    ("hasattr", "def f(server_args):\n    return not ⟦hasattr(server_args, 'x')⟧\n"),
    ("vars", "def f(server_args):\n    return ⟦vars(server_args)['x']⟧\n"),
    ("method", "def f(server_args):\n    return ⟦server_args.check(1,\n        b=2)⟧.x\n"),
    ("write", "def f(server_args):\n    a = ⟦server_args.x⟧ = 1\n"),
    ("augmented write", "def f(server_args):\n    ⟦server_args.x⟧ += 1\n"),
    ("annotated write", "def f(server_args):\n    ⟦server_args.x⟧: int = 1\n"),
    ("delete", "def f(server_args, a):\n    del a, ⟦server_args.x⟧\n"),
    ("setattr", "def f(server_args):\n    ⟦setattr(server_args, 'x', 1)⟧\n"),
    ("escape as an argument", "def f(server_args, h):\n    h(1, a=⟦server_args⟧)\n"),
    ("escape as a result", G + "def f():\n    return ⟦get_server_args()⟧\n"),
    ("escape in a container", "def f(server_args, h):\n    h([1, ⟦server_args⟧])\n"),
    ("accessor as a value", G + "submit(1, ⟦get_server_args⟧)\n"),
    ("namespace", N + "x = 1, ⟦get_exec().moe.moe_a2a_backend⟧\n"),
    ("namespace escape", N + "h(1, ⟦get_exec().moe⟧)\n"),
]


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in SPANS])
def test_span(code: str) -> None:
    text, span = unmarked(code)
    assert only(text).span == span


STARTS = [
    ("override", "def f(server_args):\n    x = ⟦⟧server_args.override('s', a=1)\n"),
    (
        "override over several lines",
        "def f(server_args):\n    (\n    ⟦⟧server_args\n    .override('s', a=1))\n",
    ),
    ("override through the context", N + "x = ⟦⟧get_context().override('s', dp_size=1)\n"),
    ("scoped override", N + "with 1 and ⟦⟧get_parallel().override(dp_size=1): pass\n"),
    ("nested store", "def f(server_args):\n    a, ⟦⟧server_args.c.d['k'] = 1, 2\n"),
    ("in-place method", "def f(server_args):\n    x = ⟦⟧server_args.xs.append(1)\n"),
    ("vars update", "def f(server_args):\n    x = ⟦⟧vars(server_args).update(a=1)\n"),
    ("object setattr", "def f(server_args):\n    x = ⟦⟧object.__setattr__(server_args, 'x', 1)\n"),
    ("replace", "import dataclasses\ndef f(server_args):\n    x = ⟦⟧dataclasses.replace(server_args, a=1)\n"),
    (
        "class pattern",
        S + "def f(server_args):\n    match server_args:\n        case ⟦⟧ServerArgs(a=1): pass\n",
    ),
]


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in STARTS])
def test_start(code: str) -> None:
    text, span = unmarked(code)
    starts = {(access.span.line, access.span.column) for access in accesses(text)}
    assert starts == {(span.line, span.column)}


@pytest.mark.skipif(sys.version_info < (3, 12), reason="older parsers misplace what stands in such f-strings")
@pytest.mark.parametrize(
    "code",
    [
        pytest.param(G + f'x = f"""\n  ü {{{READ}}}\n"""\n', id="over several lines"),
        pytest.param(G + f"x = f'ü' f'ü {{{READ}}}'\n", id="joined"),
        pytest.param(G + f"x = f'ü{{1:{{{READ}}}}}'\n", id="format"),
    ],
)
def test_span_in_an_f_string(code: str) -> None:
    text, span = unmarked(code)
    assert only(text).span == span


FORMS = [
    ("accessor", G + "get_server_args().x", "accessor", "accessor"),
    (
        "accessor through its module",
        "import sglang.srt.runtime_context as c\nc.get_server_args().x",
        "accessor",
        "accessor",
    ),
    (
        "accessor renamed",
        "from sglang.srt.runtime_context import get_server_args as g\ng().x",
        "accessor",
        "accessor",
    ),
    ("accessor bound to a name", G + "g = get_server_args\ng().x", "accessor", "accessor"),
    (
        "legacy accessor",
        "from sglang.srt.server_args import get_global_server_args as g\ng().x",
        "accessor",
        "accessor",
    ),
    ("slot of the context", N + "get_context().server_args.x", "accessor", "accessor"),
    ("alias of the accessor", G + "sa = get_server_args()\nsa.x", "alias", "accessor"),
    ("alias of an alias", G + "a = get_server_args()\nb = a\nb.x", "alias", "accessor"),
    ("alias by walrus", G + "(a := get_server_args())\na.x", "alias", "accessor"),
    ("alias in a closure", G + "def f():\n  a = get_server_args()\n  def g(): a.x", "alias", "accessor"),
    ("alias of the slot", N + "a = get_context().server_args\na.x", "alias", "accessor"),
    ("alias in a comprehension", G + "[a.x for a in [get_server_args()]]", "alias", "accessor"),
    ("parameter by name", "def f(server_args): server_args.x", "parameter", "parameter"),
    ("parameter by annotation", S + "def f(c: ServerArgs): c.x", "parameter", "parameter"),
    ("parameter of a lambda", "lambda server_args: server_args.x", "parameter", "parameter"),
    ("parameter in a closure", "def f(server_args):\n  def g(): server_args.x", "parameter", "parameter"),
    ("alias of a parameter", "def f(server_args):\n  a = server_args\n  a.x", "alias", "parameter"),
    ("self", "class A:\n  def g(self): self.server_args.x", "self", "self"),
    ("self with a prefix", "class A:\n  def g(self): self.draft_server_args.x", "self", "self"),
    ("alias of self's", "class A:\n  def g(self):\n    a = self.server_args\n    a.x", "alias", "self"),
    ("chain off a parameter", "def f(r): r.server_args.x", "chain", "chain"),
    ("chain off self", "class A:\n  def g(self): self.r.server_args.x", "chain", "chain"),
    ("chain off a call", "def f(h): h().server_args.x", "chain", "chain"),
    ("alias of a chain", "def f(r):\n  a = r.server_args\n  a.x", "alias", "chain"),
    ("constructed", S + "ServerArgs().x", "constructed", "constructed"),
    ("constructed from arguments", S + "ServerArgs.from_cli_args(1).x", "constructed", "constructed"),
    ("alias of a constructed record", S + "a = ServerArgs()\na.x", "alias", "constructed"),
    ("namespace", N + "get_parallel().x", "accessor", "accessor"),
    ("group of a namespace", N + "get_exec().moe.x", "accessor", "accessor"),
    ("alias of a namespace", N + "a = get_exec().moe\na.x", "alias", "accessor"),
]


@pytest.mark.parametrize(
    ("code", "form", "root"), [pytest.param(code, form, root, id=name) for name, code, form, root in FORMS]
)
def test_form_and_root(code: str, form: str, root: str) -> None:
    access = only(code)
    assert (access.operation, access.form, access.root) == ("read", form, root)


SCOPES = [
    ("module", f"x = {READ}", ""),
    ("module in a block", f"if 1:\n  for y in z:\n    x = {READ}", ""),
    ("function", f"def f():\n  return {READ}", "f"),
    ("async function", f"async def f():\n  return {READ}", "f"),
    ("nested function", f"def f():\n  def g():\n    return {READ}", "f.g"),
    ("method", f"class A:\n  def g(self):\n    return {READ}", "A.g"),
    ("function in a method", f"class A:\n  def g(self):\n    def h():\n      return {READ}", "A.g.h"),
    ("method of a nested class", f"class A:\n  class B:\n    def g(self):\n      return {READ}", "A.B.g"),
    (
        "method of a class in a function",
        f"def f():\n  class A:\n    def g(self):\n      return {READ}",
        "f.A.g",
    ),
    ("class body", f"class A:\n  x = {READ}", "A"),
    ("class body in a function", f"def f():\n  class A:\n    x = {READ}", "f.A"),
    ("lambda at module level", f"h = lambda: {READ}", ""),
    ("lambda in a function", f"def f():\n  return lambda: {READ}", "f"),
    ("lambda in a class body", f"class A:\n  h = lambda self: {READ}", "A"),
    ("comprehension at module level", f"x = [{READ} for y in z]", ""),
    ("comprehension in a method", f"class A:\n  def g(self):\n    return [{READ} for y in z]", "A.g"),
    ("generator in a lambda", f"def f():\n  return lambda: ({READ} for y in z)", "f"),
    ("function under a condition", f"if 1:\n  def f():\n    return {READ}", "f"),
    (
        "function in a loop in a function",
        f"def f():\n  for x in y:\n    def g():\n      return {READ}",
        "f.g",
    ),
    ("default", f"def f(x={READ}): pass", ""),
    ("default in a method", f"class A:\n  def g(self, x={READ}): pass", "A"),
    ("default in a nested function", f"def f():\n  def g(*, x={READ}): pass", "f"),
    ("decorator", f"@h({READ})\ndef f(): pass", ""),
    ("decorator of a method", f"class A:\n  @h({READ})\n  def g(self): pass", "A"),
    ("decorator of a class", f"@h({READ})\nclass A: pass", ""),
    ("base class", f"def f():\n  class A(h({READ})): pass", "f"),
    ("property", f"class A:\n  @property\n  def p(self):\n    return {READ}", "A.p"),
    (
        "match and try",
        f"def f():\n  match x:\n    case 1:\n      try:\n        return {READ}\n      finally:\n        pass",
        "f",
    ),
]


@pytest.mark.parametrize(
    ("code", "scope"), [pytest.param(code, scope, id=name) for name, code, scope in SCOPES]
)
def test_scope(code: str, scope: str) -> None:
    assert only(G + unmarked(code)[0]).scope == scope


CODES = [
    ("read", "x = server_args . a", ["server_args.a"]),
    ("read over several lines", "x = (\n    server_args\n    .a  # why\n)", ["server_args.a"]),
    ("read through getattr", 'x = getattr( server_args,"a" )', ["getattr(server_args, 'a')"]),
    ("read through vars", 'x = vars(server_args)["a"]', ["vars(server_args)['a']"]),
    ("read of a chain", "x = y.z(1) [2].server_args.a", ["y.z(1)[2].server_args.a"]),
    ("write", "server_args.a = 1", ["server_args.a"]),
    ("write of another value", "server_args.a = g(\n  2)", ["server_args.a"]),
    ("write in a tuple", "server_args.a, x = 1, 2", ["server_args.a"]),
    ("augmented write", "server_args.a += 1", ["server_args.a"]),
    ("delete", "del server_args.a", ["server_args.a"]),
    ("method", "server_args.check()", ["server_args.check()"]),
    ("method with arguments", "server_args.check(1, 'x', b=2, a=3)", ["server_args.check(a, b)"]),
    ("escape", "h(1, server_args )", ["server_args"]),
]


@pytest.mark.parametrize(
    ("code", "codes"), [pytest.param(code, codes, id=name) for name, code, codes in CODES]
)
def test_code(code: str, codes: list[str]) -> None:
    text = "def f(server_args, y):\n" + "".join(f"    {line}\n" for line in code.split("\n"))
    assert [access.code for access in accesses(text)] == codes


SAME = [
    ("value of a store", "server_args.a = 1", "server_args.a = 2"),
    ("value of setattr", "setattr(server_args, 'a', 1)", "setattr(server_args, 'a', 2)"),
    (
        "value of object.__setattr__",
        "object.__setattr__(server_args, 'a', 1)",
        "object.__setattr__(server_args, 'a', 2)",
    ),
    ("value of a dict item", "vars(server_args)['a'] = 1", "vars(server_args)['a'] = 2"),
    ("value in vars update", "vars(server_args).update(a=1)", "vars(server_args).update(a=2)"),
    ("value in an override", "server_args.override('s', a=1)", "server_args.override('t', a=2)"),
    ("order in an override", "server_args.override('s', a=1, b=2)", "server_args.override('s', b=2, a=1)"),
    ("value in a replacement", "x = replace(server_args, a=1)", "x = replace(server_args, a=2)"),
    ("argument of a method that changes", "server_args.a.append(1)", "server_args.a.append(2)"),
    ("value of a nested store", "server_args.a.b = 1", "server_args.a.b = 2"),
    ("quotes", "getattr(server_args, 'a')", 'getattr(server_args, "a")'),
    ("spaces and lines", "x = server_args.a", "x = (server_args\n      .a)"),
    ("what stands around", "x = server_args.a", "y = [server_args.a, 1]"),
]

DIFFERENT = [
    ("field", "server_args.a", "server_args.b"),
    ("receiver", "server_args.a", "draft_server_args.a"),
    ("field of setattr", "setattr(server_args, 'a', 1)", "setattr(server_args, 'b', 1)"),
    ("field of an override", "server_args.override('s', a=1)", "server_args.override('s', b=1)"),
    ("spelling", "server_args.a", "getattr(server_args, 'a')"),
    ("method", "server_args.check()", "server_args.start()"),
]


def identities(code: str) -> set[tuple[str, str | None, str]]:
    text = "from dataclasses import replace\ndef f(server_args, draft_server_args):\n    " + code + "\n"
    return {(access.operation, access.field, access.code) for access in accesses(text)}


@pytest.mark.parametrize(("a", "b"), [pytest.param(a, b, id=name) for name, a, b in SAME])
def test_identity_survives(a: str, b: str) -> None:
    assert identities(a) == identities(b) != set()


@pytest.mark.parametrize(("a", "b"), [pytest.param(a, b, id=name) for name, a, b in DIFFERENT])
def test_identity_changes(a: str, b: str) -> None:
    assert identities(a) != identities(b)


NAMESPACES = [
    ("field of a namespace", G + "get_server_args().tp_size", "tp_size", "parallel"),
    (
        "field of a nested namespace",
        G + "get_server_args().attention_backend",
        "attention_backend",
        "exec.kernel",
    ),
    ("field that the schema does not know", G + "get_server_args().no_such_field", "no_such_field", None),
    ("method", G + "get_server_args().use_mla_backend()", "use_mla_backend", None),
    ("computed", G + "getattr(get_server_args(), x)", "*", None),
    ("escape", G + "h(get_server_args())", None, None),
    ("namespace read", N + "get_exec().moe.moe_a2a_backend", "moe_a2a_backend", "exec.moe"),
    ("namespace read of what is no field", N + "get_parallel().tp_rank", "tp_rank", "parallel"),
    ("namespace escape", N + "h(get_exec().moe)", None, "exec.moe"),
    ("context override", N + "get_context().override('s', moe_a2a_backend=1)", "moe_a2a_backend", "exec.moe"),
    ("context override of what is no field", N + "get_context().override('s', nope=1)", "nope", None),
]


@pytest.mark.parametrize(
    ("code", "field", "namespace"),
    [pytest.param(code, field, namespace, id=name) for name, code, field, namespace in NAMESPACES],
)
def test_field_and_namespace(code: str, field: str | None, namespace: str | None) -> None:
    access = only(code)
    assert (access.field, access.namespace) == (field, namespace)


VIAS = [
    ("attribute", "server_args.a", "attribute"),
    ("store", "server_args.a = 1", "attribute"),
    ("in-place method", "server_args.a.append(1)", "attribute"),
    ("getattr", "getattr(server_args, 'a')", "builtin"),
    ("setattr", "setattr(server_args, 'a', 1)", "builtin"),
    ("vars", "vars(server_args)['a']", "mapping"),
    ("dict", "server_args.__dict__['a'] = 1", "mapping"),
    ("replace", "x = replace(server_args, a=1)", "replace"),
    ("whole", "h(server_args)", "value"),
]


@pytest.mark.parametrize(("code", "via"), [pytest.param(code, via, id=name) for name, code, via in VIAS])
def test_via(code: str, via: str) -> None:
    access = only(f"from dataclasses import replace\ndef f(server_args, h):\n    {code}\n")
    assert (access.via, access.object) == (via, "server-args")


def test_accesses_stand_in_order_of_their_starts() -> None:
    code = S + (
        "def f(server_args, h):\n"
        "    h(server_args.c, server_args, k=server_args.b)\n"
        "    server_args.override(server_args.z, b=server_args.y, a=1)\n"
        "    server_args.w = server_args.v\n"
        "    return [server_args.a for _ in server_args.d if server_args.e]\n"
    )
    found = accesses(code)
    starts = [(access.span.line, access.span.column) for access in found]
    assert starts == sorted(starts)
    assert [access.field for access in found] == [
        *("c", None, "b"),
        *("override", "b", "a", "z", "y"),
        *("w", "v"),
        *("a", "d", "e"),
    ]


def test_the_same_code_gives_the_same_accesses() -> None:
    code = G + "def f(c, x):\n  a = get_server_args() if c else x\n  return a.p, a.q, {a.r for b in a.s}\n"
    assert accesses(code) == accesses(code)


@pytest.mark.parametrize(
    "code", ["def f(:\n", "x = = 1\n", "return [\n", "server_args.x = \n", "\tx = 1\n  y = 2\n"]
)
def test_code_that_does_not_parse_is_an_error(code: str) -> None:
    with pytest.raises(SyntaxError):
        accesses(code)
