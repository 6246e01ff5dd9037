"""GitHub, JUnit and Markdown: whole outputs in golden/, hostile text inert; and the function that picks."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import cast
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from ratchet.report import FORMATS, Format, render, render_accesses, under_actions
from ratchet.report.github import summary
from ratchet.report.markdown import code, prose
from tests.report.samples import (
    ACCESSES,
    CLEAN,
    EMPTY,
    FAILING,
    HOSTILE,
    STALE_ONLY,
    VERDICTS,
    context,
    context_of,
    hostile,
)

GOLDEN = Path(__file__).parent / "golden"
SUFFIXES: dict[Format, str] = {"github": "github.txt", "junit": "xml", "markdown": "md"}
WHOLE = [(name, format) for name in ("failing", "unjudged", "empty") for format in SUFFIXES]
COMMAND = re.compile(r"::(error|warning|notice) ([^:\n]*)::(.*)")


@pytest.mark.parametrize(("name", "format"), WHOLE)
def test_whole_output(name: str, format: Format) -> None:
    golden = (GOLDEN / f"{name}.{SUFFIXES[format]}").read_text(encoding="utf-8")
    assert render(format, VERDICTS[name], context_of(name)) == golden


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", VERDICTS)
def test_every_format_gives_the_same_bytes_and_ends_its_line(format: Format, name: str) -> None:
    out = render(format, VERDICTS[name], context_of(name))
    assert out == render(format, VERDICTS[name], context_of(name))
    assert out.endswith("\n")
    assert not out.endswith("\n\n")


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(
        ValueError, match="unknown format 'yaml': one of text, json, sarif, github, junit, markdown"
    ):
        render(cast(Format, "yaml"), CLEAN, context())


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"GITHUB_ACTIONS": "true"}, True),
        ({"GITHUB_ACTIONS": "false"}, False),
        ({"GITHUB_ACTIONS": ""}, False),
        ({"CI": "true"}, False),
        ({}, False),
    ],
    ids=str,
)
def test_under_actions(environ: dict[str, str], expected: bool) -> None:
    assert under_actions(environ) is expected


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_github_commands_hold_nothing_but_theirs(text: str) -> None:
    lines = render("github", hostile(text), context()).splitlines()
    commands = [line for line in lines if line.lstrip().startswith("::")]
    assert len(commands) == 6  # the new site, the gone and the moved one, the problem, the fault, the note
    for command in commands:
        match = COMMAND.fullmatch(command)
        assert match
        keys = [part.split("=", 1)[0] for part in match[2].split(",")]
        assert set(keys) <= {"file", "line", "endLine", "col", "endColumn", "title"}
        assert len(keys) == len(set(keys))
    assert all(char.isprintable() for line in lines for char in line)
    assert not any("##[" in line for line in lines if line not in commands)


def test_github_escapes_as_the_runner_reads() -> None:
    odd = replace(FAILING, faults=("100%\r\n::error::x, y: z",), rules=())
    assert render("github", odd, context()).splitlines()[0] == (
        "::error title=ratchet::100%25\\r\\n::error::x, y: z"
    )


def test_github_gives_no_columns_over_several_lines() -> None:
    (moved,) = (line for line in render("github", FAILING, context()).splitlines() if "Moved" in line)
    assert "line=2,endLine=3,title=" in moved


def test_the_job_summary_is_the_markdown() -> None:
    assert summary(FAILING, context()) == render("markdown", FAILING, context())


@pytest.mark.parametrize("name", VERDICTS)
def test_junit_counts_what_it_holds(name: str) -> None:
    suites = ElementTree.fromstring(render("junit", VERDICTS[name], context_of(name)))
    (suite,) = suites
    found = {
        "tests": len(suite.findall("testcase")),
        "failures": len(suite.findall("testcase/failure")),
        "errors": len(suite.findall("testcase/error")),
        "skipped": len(suite.findall("testcase/skipped")),
    }
    assert {key: int(suite.attrib[key]) for key in found} == found
    assert bool(found["failures"] or found["errors"]) is bool(VERDICTS[name].exit_code)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_junit_is_xml_for_any_input(text: str) -> None:
    out = render("junit", hostile(text), context())
    suite = ElementTree.fromstring(out.encode("utf-8"))[0]
    tags = {element.tag for element in suite.iter()}
    assert tags <= {"testsuite", "testcase", "failure", "error", "skipped", "system-out"}
    assert [element.tag for element in suite if element.tag != "system-out"] == ["testcase"] * 4


def test_junit_does_not_fail_for_stale_rows_that_only_warn() -> None:
    suite = ElementTree.fromstring(render("junit", STALE_ONLY, context()))[0]
    assert suite.findall("testcase/failure") == []
    (said,) = suite.findall("testcase/system-out")
    assert said.text is not None
    assert said.text.startswith("moved srt/home.py in Engine.width to srt/new/home.py:2:1")


def test_an_empty_run_is_an_error_in_junit() -> None:
    assert 'message="could not judge: no Python file was found' in render("junit", EMPTY, context())


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_markdown_shows_hostile_text_and_no_markup_of_it(text: str) -> None:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = parser.parse(render("markdown", hostile(text), context()))
    inline = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in inline} <= {"text", "code_inline", "text_special", "softbreak"}
    assert not any(token.type.startswith("html") for token in tokens)
    rows = [token for token in tokens if token.type == "tr_open"]
    assert len(rows) == 3
    cells = [token for token in tokens if token.type in ("td_open", "th_open")]
    assert len(cells) == 3 * 7
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h2", "h3", "h3", "h3"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "`plain`"),
        ("a`b", "``a`b``"),
        ("`a``", "``` `a`` ```"),
        (" a ", "`  a  `"),
        ("a\nb", "`a\\nb`"),
        ("", ""),
    ],
)
def test_code_span(text: str, expected: str) -> None:
    assert code(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text, 1.5 > 1", "plain text, 1.5 &gt; 1"),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
        ("a|b *c* `d` [e](f)", "a\\|b \\*c\\* \\`d\\` \\[e\\](f)"),
    ],
)
def test_prose(text: str, expected: str) -> None:
    assert prose(text) == expected


def test_accesses_in_both_formats() -> None:
    plain = render_accesses("text", "f.py", ACCESSES, (), context())
    assert plain.endswith("\nf.py: 3 accesses\n")
    assert render_accesses("json", "f.py", ACCESSES, (), context()).startswith('{"version":1,"tool":')
