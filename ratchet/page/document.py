"""The page as one HTML document that loads nothing: its style, its script and its data stand in it."""

from __future__ import annotations

import base64
import hashlib
import re
from html import escape
from importlib.resources import files

from ratchet.escape import display_path
from ratchet.page.blob import blob
from ratchet.page.model import Page

SCRIPTS = ("dom.js", "table.js", "treemap.js", "standing.js", "sites.js", "story.js", "main.js")
"""The parts of the script, in order; each uses what those before it define."""

_PLACE = re.compile(r"<!--\{(\w+)\}-->")


def document(page: Page) -> str:
    """The document. Its policy lets the browser run this script alone, and load nothing but its pictures."""
    style = _asset("page.css")
    script = '"use strict";\n' + "".join(_asset(name) for name in SCRIPTS)
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = {
        "policy": escape(policy),
        "title": escape(display_path(page.verdict.root)),
        "style": style,
        "script": script,
        "data": blob(page),
    }
    return _PLACE.sub(lambda place: parts[place[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return files("ratchet.page").joinpath("assets").joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """What a content security policy calls a text by (CSP level 2, `hash-source`)."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
