"""The text format, whole outputs compared with the files in golden/."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from ratchet.model import RuleVerdict, Verdict
from ratchet.report import Context, render
from ratchet.report.layout import placed
from ratchet.report.text import accesses
from ratchet.verdict import twins
from tests.report.samples import (
    ACCESSES,
    BROKEN,
    CLEAN,
    FAILING,
    HOSTILE,
    READ,
    VERDICTS,
    WRITE,
    context,
    context_of,
    hostile,
    rule,
)

GOLDEN = Path(__file__).parent / "golden"
ANSI = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize("name", VERDICTS)
def test_whole_output(name: str) -> None:
    assert render("text", VERDICTS[name], context_of(name)) == (GOLDEN / f"{name}.txt").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("name", VERDICTS)
def test_colours_change_no_character(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    colored = render("text", VERDICTS[name], context(color=True))
    assert ANSI.search(colored)
    assert ANSI.sub("", colored) == render("text", VERDICTS[name], context())


SENTENCES = {
    "a-line": ("cart.py:3 calls it", "src/cart.py:3 calls it"),
    "several": ("at a/b.py:1, c.py:22 (f); d.py:3: no", "at src/a/b.py:1, src/c.py:22 (f); src/d.py:3: no"),
    "a-file-at-the-end": ("no field (args.py)", "no field (src/args.py)"),
    "prose": ("see args.py (or b.py) for more", "see args.py (or b.py) for more"),
    "a-call": ("f(a.py)", "f(src/a.py)"),
    "another-file": ("gone.tsv:3: no row", "gone.tsv:3: no row"),
}


@pytest.mark.parametrize(("sentence", "shown"), SENTENCES.values(), ids=SENTENCES)
def test_files_in_a_sentence(sentence: str, shown: str) -> None:
    assert placed(sentence, lambda path: f"src/{path}") == shown


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_inert(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def source(path: str, line: int) -> str:
        return f"    {text}\n"

    plain = render("text", hostile(text), context(source_line=source))
    assert [char for char in plain if char != "\n" and not char.isprintable()] == []
    colored = render("text", hostile(text), context(source_line=source, color=True))
    assert ANSI.sub("", colored) == plain
    plain.encode("utf-8")


def test_a_dumb_terminal_gets_no_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert render("text", FAILING, context(color=True)) == render("text", FAILING, context())


def test_new_is_red_and_a_command_is_blue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    lines = render("text", FAILING, context(color=True)).splitlines()
    assert lines[0] == (
        "\x1b[36msrt/engine.py:40:13:\x1b[0m\x1b[1;31m new record-read\x1b[0m\x1b[2m in Engine.width\x1b[0m"
    )
    assert "\x1b[2mrewrite: \x1b[0m\x1b[1;34mratchet migrate --namespace parallel\x1b[0m" in lines


def test_markup_in_code_is_shown_as_it_is() -> None:
    assert "[bold red]x[/bold red]" in render("text", hostile(HOSTILE["rich markup"]), context(color=True))


def excerpt(source: str | None, column: int, end: int, width: int = 40) -> str:
    """The lines under a new site, up to what to write instead."""
    spot = replace(WRITE, span=replace(WRITE.span, column=column, end_column=end))
    verdict = replace(CLEAN, rules=(RuleVerdict(rule("r"), (spot,), 0, (), (spot,)),))
    out = render("text", verdict, context(source_line=lambda path, line: source, width=width))
    return "\n".join(out.split("\n    instead")[0].splitlines()[1:])


@pytest.mark.parametrize(
    ("source", "column", "end", "expected"),
    [
        pytest.param("a.b\n", 1, 4, "    a.b\n    ^^^", id="whole line"),
        pytest.param("\t\tx = a.b  # c\r\n", 7, 10, "    x = a.b  # c\n        ^^^", id="indented by tabs"),
        pytest.param("x\t= a.b", 5, 8, "    x\\t= a.b\n         ^^^", id="tab inside"),
        pytest.param("'漢' + a.b", 7, 10, "    '漢' + a.b\n           ^^^", id="wide characters"),
        pytest.param(
            "'\x1b[0m' + a.b", 10, 13, "    '\\x1b[0m' + a.b\n                ^^^", id="escape sequence"
        ),
        pytest.param(None, 1, 4, "    self.server_args.override(cache)", id="source not known"),
        pytest.param("", 9, 12, "    \n    ^", id="line shorter than the column"),
        pytest.param(
            "x" * 100 + "a.b" + "y" * 100,
            101,
            104,
            "    ...xxxxxxxxxxxxxa.byyyyyyyyyyyyyy...\n                    ^^^",
            id="long line",
        ),
        pytest.param(
            "f(" + "z" * 500 + ")",
            1,
            504,
            "    f(zzzzzzzzzzzzzzzzzzzzzzzzzzzz...\n    " + "^" * 33,
            id="long site",
        ),
    ],
)
def test_excerpt(source: str | None, column: int, end: int, expected: str) -> None:
    assert excerpt(source, column, end) == expected


def test_a_site_over_several_lines_is_marked_to_the_end_of_its_first() -> None:
    spot = replace(WRITE, span=replace(WRITE.span, column=5, end_line=14, end_column=6))
    verdict = replace(CLEAN, rules=(RuleVerdict(rule("r"), (spot,), 0, (), (spot,)),))
    out = render("text", verdict, context(source_line=lambda path, line: "x = call(  \n"))
    assert "    x = call(\n        ^^^^^\n" in out


def test_twins_say_that_the_new_one_is_not_known() -> None:
    twin = replace(READ, span=replace(READ.span, line=41))
    entry = RuleVerdict(rule("r"), (READ, twin), 1, (READ,), (twin,))
    out = render("text", replace(CLEAN, rules=(entry,)), context())
    assert f"    {twins(entry)[READ.key]}\n" in out


def test_nothing_is_capped() -> None:
    many = tuple(replace(WRITE, span=replace(WRITE.span, line=line)) for line in range(1, 3001))
    verdict = replace(CLEAN, rules=(RuleVerdict(rule("r"), many, 0, (), many),))
    out = render("text", verdict, context())
    assert sum(": new r in" in line for line in out.splitlines()) == 3000


@pytest.mark.parametrize(
    ("codemod", "sites", "command"),
    [
        ("reads", (READ,), "ratchet migrate --namespace parallel"),
        ("writes", (WRITE, WRITE), "ratchet migrate --namespace memory --writes"),
        ("chains", (READ, WRITE), "ratchet migrate --namespace memory --namespace parallel --chains"),
        ("reads", (replace(READ, namespace=None),), "ratchet migrate --all"),
        (None, (READ,), None),
    ],
)
def test_rewrite_command(codemod: str | None, sites: tuple[object, ...], command: str | None) -> None:
    verdict = replace(CLEAN, rules=(RuleVerdict(rule("r", codemod=codemod), sites, 0, (), sites),))  # type: ignore[arg-type]
    lines = render("text", verdict, context()).splitlines()
    assert [line for line in lines if "migrate" in line] == ([f"rewrite: {command}"] if command else [])


def test_no_elapsed_time_where_none_is_given() -> None:
    assert render("text", CLEAN, context(elapsed=None)).endswith("\ncheck: clean\n")


def test_the_default_context_is_enough() -> None:
    assert render("text", FAILING, Context()).endswith(
        "check: failed: 4 new sites, 3 gone sites, 1 moved site\n"
    )


@pytest.mark.parametrize("verdict", VERDICTS.values(), ids=VERDICTS)
def test_every_run_says_its_numbers(verdict: Verdict) -> None:
    out = render("text", verdict, context())
    assert re.search(r"^[\d,]+ files? discovered, [\d,]+ analysed, .* not judged", out, re.MULTILINE)


def test_accesses() -> None:
    assert accesses("f.py", ACCESSES, (BROKEN,)) == (
        "2:5   read    supplied   parameter  seed         server_args.seed\n"
        "10:1  escape  global     alias      -            use(sa)\n"
        "11:1  read    namespace  accessor   exec.moe.tp  get_exec().moe.tp\n"
        "srt/broken.py:3: not judged: invalid syntax\n"
        "f.py: 3 accesses\n"
    )


def test_no_accesses() -> None:
    assert accesses("f\n.py", (), ()) == "f\\n.py: 0 accesses\n"
