"""The picture in the README: what the text format says, and nothing loaded from elsewhere."""

from __future__ import annotations

import html
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import cast
from xml.etree import ElementTree

import pytest

from ratchet.model import Verdict
from ratchet.report import Context, render
from tests.report.samples import FAILING, HOSTILE, context, hostile

SCRIPT = Path(__file__).parents[2] / "docs" / "screenshot.py"
Screenshot = Callable[[Verdict, Context], str]


@pytest.fixture(scope="module")
def screenshot() -> Screenshot:
    return cast(Screenshot, runpy.run_path(str(SCRIPT))["screenshot"])


def test_the_picture_holds_the_text(screenshot: Screenshot) -> None:
    svg = screenshot(FAILING, context(width=100))
    shown = html.unescape("".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg))).replace("\xa0", "")
    for line in render("text", FAILING, context(width=100)).splitlines():
        assert "".join(line.split(" ")) in shown.replace(" ", "").replace("\n", "")


def test_the_picture_is_the_same_each_time(screenshot: Screenshot) -> None:
    assert screenshot(FAILING, context()) == screenshot(FAILING, context())


def test_the_picture_loads_nothing(screenshot: Screenshot) -> None:
    svg = screenshot(FAILING, context())
    assert re.findall(r"https?://[^\"' )]+", svg.replace("http://www.w3.org/2000/svg", "")) == [
        "https://www.textualize.io"
    ]
    assert "url(" not in re.sub(r"url\(#[^)]*\)", "", svg)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_the_picture_is_xml_for_any_input(text: str, screenshot: Screenshot) -> None:
    ElementTree.fromstring(screenshot(hostile(text), context()))
