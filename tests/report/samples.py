"""Verdicts to render: one with everything in it, a clean one, a count, an empty run, and hostile strings."""

from __future__ import annotations

from dataclasses import replace

from ratchet.model import (
    Access,
    AccessMatch,
    Census,
    Mode,
    Move,
    Problem,
    Row,
    Rule,
    RuleVerdict,
    Site,
    Span,
    Verdict,
)
from ratchet.report import Context

SOURCES = {
    ("srt/engine.py", 12): '        self.server_args.override("attach", cache=True)  # later\n',
    ("srt/engine.py", 40): "    width = get_server_args().tp_size\n",
    ("srt/wide.py", 3): "\tname = '日本', server_args.seed\r\n",
}


def source_line(path: str, line: int) -> str | None:
    return SOURCES.get((path, line))


def context(**changes: object) -> Context:
    base = Context(
        elapsed=0.4213,
        source_line=source_line,
        prefix="python/engine",
        width=80,
        version="0.1.0",
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def rule(id: str, *, mode: Mode = "ratchet", codemod: str | None = None) -> Rule:
    return Rule(
        id=id,
        kind="access",
        match=AccessMatch(),
        mode=mode,
        title=f"The title of {id}",
        why="The record is shared by the whole process, so whoever writes it\nchanges it for other readers.",
        instead='get_context().override("source", field=value)',
        fingerprint="f00d",
        codemod=codemod,
    )


def site(
    rule: str, path: str, line: int, column: int, end: int, scope: str, code: str, **more: str | None
) -> Site:
    return Site(rule, path, Span(line, column, line, end), scope, code, **more)  # type: ignore[arg-type]


WRITE = site(
    "record-write",
    "srt/engine.py",
    12,
    9,
    56,
    "Engine.attach",
    "self.server_args.override(cache)",
    operation="write",
    origin="supplied",
    form="self",
    field="cache",
    namespace="memory",
)
KNOWN_WRITE = replace(WRITE, path="srt/old.py", span=Span(7, 5, 7, 30))
WIDE = site(
    "record-read", "srt/wide.py", 3, 15, 31, "", "server_args.seed", operation="read", form="parameter"
)
READ = site(
    "record-read",
    "srt/engine.py",
    40,
    13,
    38,
    "Engine.width",
    "get_server_args().tp_size",
    operation="read",
    origin="global",
    form="accessor",
    field="tp_size",
    namespace="parallel",
)
MOVED = replace(READ, path="srt/new/home.py", span=Span(2, 1, 3, 9))

CENSUS = Census(
    discovered=1200,
    analysed=60,
    judged_by_bytes=1139,
    judged=frozenset({"srt/engine.py", "srt/old.py", "srt/wide.py", "srt/new/home.py"}),
    complete=True,
)
BROKEN = Problem("srt/broken.py", 3, "invalid syntax")

FAILING = Verdict(
    rules=(
        RuleVerdict(
            rule("record-read", codemod="reads"),
            (READ, MOVED, WIDE),
            baseline=4,
            new=(READ, WIDE),
            moved=(Move(MOVED, Row("srt/home.py", "Engine.width", "get_server_args().tp_size", 1)),),
            gone=(
                Row("srt/gone.py", "", "server_args.seed", 2, "allowed once"),
                Row("srt/gone.py", "f", "server_args.other", 1),
            ),
        ),
        RuleVerdict(rule("record-retired"), (), skipped="engine 0.5.17 is outside of >=0.5.18"),
        RuleVerdict(rule("record-soft", mode="warn"), (READ,), baseline=0, new=(READ,)),
        RuleVerdict(
            rule("record-write", codemod="writes"),
            (WRITE, KNOWN_WRITE),
            baseline=1,
            known=(KNOWN_WRITE,),
            new=(WRITE,),
        ),
    ),
    census=CENSUS,
    notes=("the tree says no engine version, so all rules apply",),
    engine="0.5.17",
    packs=("sample 1",),
    root="python/engine",
)
CLEAN = replace(
    FAILING,
    rules=(RuleVerdict(rule("record-write"), (KNOWN_WRITE,), baseline=1, known=(KNOWN_WRITE,)),),
    notes=(),
)
PARTIAL = replace(
    CLEAN, census=replace(CENSUS, discovered=2, analysed=2, judged_by_bytes=0, complete=False, ignored=1)
)
COUNT = replace(
    CLEAN, rules=(RuleVerdict(rule("record-read"), (READ, WIDE)), RuleVerdict(rule("record-write"), ()))
)
UNJUDGED = replace(
    CLEAN,
    census=replace(CENSUS, problems=(BROKEN, Problem("srt/locked.py", 0, "permission denied"))),
    faults=("baselines/record-write.tsv is missing: run `ratchet adopt record-write`",),
)
EMPTY = Verdict(rules=(), census=Census(0, 0, 0, frozenset(), complete=True), root="python/engine")
STALE_ONLY = replace(FAILING, rules=(replace(FAILING.rules[0], new=()),), stale_fails=False)

VERDICTS = {
    "failing": FAILING,
    "clean": CLEAN,
    "partial": PARTIAL,
    "count": COUNT,
    "unjudged": UNJUDGED,
    "empty": EMPTY,
    "stale-warns": STALE_ONLY,
}

HOSTILE = {
    "rich markup": "[bold red]x[/bold red] [link=http://x]y[/]",
    "colour": "\x1b[31mred\x1b[0m",
    "title of the terminal": "\x1b]0;owned\x07",
    "c1 control": "\x9b31m",
    "newlines": "a\nb\r\nc\u2028d\x85e",
    "null": "a\x00b",
    "surrogate": "caf\udce9 \ud800",
    "bidi": "\u202eevil\u2066",
    "cdata end": "]]><x>&amp;",
    "percent": "%0A::error::%25,a:b",
    "command": "::set-output name=x::y ##[error]z",
    "html": "<script>alert(1)</script>&<!-- -->",
    "table": "a|b\\|c `code` ``more`` `",
    "markdown": "# *x* _y_ [z](javascript:1) ![i](u) @someone",
    "braces": "{0} {x[0]}[a](1)",
    "noncharacter": "\ufffe\uffff",
    "astral": "\U0001f600",
}
"""Strings that a tree can hold in its paths, scopes and code."""


def hostile(text: str) -> Verdict:
    """A verdict with this string wherever a tree or a pack can put one."""
    bad = replace(WRITE, rule=text, path=f"{text}.py", scope=text, code=text, field=text, namespace=text)
    spoiled = replace(rule("record-write", codemod="writes"), id=text, title=text, why=text, instead=text)
    row = Row(f"{text}.py", text, text, 1, text)
    entry = RuleVerdict(spoiled, (bad,), 2, (), (bad,), (Move(bad, row),), (row,))
    return replace(
        FAILING,
        rules=(entry, RuleVerdict(spoiled, (), skipped=text)),
        census=replace(CENSUS, problems=(Problem(f"{text}.py", 1, text),)),
        faults=(text,),
        notes=(text,),
        engine=text,
        packs=(text,),
        root=text,
    )


ACCESSES = (
    Access(
        span=Span(2, 5, 2, 24),
        operation="read",
        origin="supplied",
        form="parameter",
        root="parameter",
        via="attribute",
        object="args",
        field="seed",
        namespace=None,
        scope="f",
        code="server_args.seed",
    ),
    Access(
        span=Span(10, 1, 10, 9),
        operation="escape",
        origin="global",
        form="alias",
        root="accessor",
        via="value",
        object="args",
        field=None,
        namespace=None,
        scope="",
        code="use(sa)",
    ),
    Access(
        span=Span(11, 1, 11, 9),
        operation="read",
        origin="namespace",
        form="accessor",
        root="accessor",
        via="attribute",
        object="args",
        field="tp",
        namespace="exec.moe",
        scope="",
        code="get_exec().moe.tp",
    ),
)


def context_of(name: str, **changes: object) -> Context:
    """The context of one of the VERDICTS: a count without a baseline is what `ratchet count` gives."""
    return context(verb="count" if name == "count" else "check", **changes)
