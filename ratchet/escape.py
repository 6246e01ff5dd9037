"""How text that may hold anything stands in one field of a line, and on a terminal.

A field of a baseline must survive tabs, line ends and file names that are no UTF-8 (which Python holds as
lone surrogates), so it is written with backslash escapes that read back to the same text.
"""

from __future__ import annotations

import re

_NAMED = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_NAMES = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r"}
# A fixed set, not str.isprintable: that one grows with Unicode, and a baseline must not depend on the Python
# that wrote it. Control characters, line and paragraph separators, writing-direction marks, surrogates, the
# backslash; and a hash sign in front, where it would open a comment.
_SPECIAL = re.compile(
    "[\\\\\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]|\\A#"
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|(.?))", re.DOTALL)
_HIDDEN = re.compile("[\ud800-\udfff\u2028-\u202e\u2066-\u2069]")


def escape_field(text: str) -> str:
    """Return `text` on one line, in UTF-8 and without tabs; `unescape_field` reads it back."""
    return _SPECIAL.sub(_escaped, text) if _SPECIAL.search(text) else text


def unescape_field(text: str) -> str:
    """Return what `escape_field` was given; raise ValueError for an escape that it does not write."""
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def display_path(path: str) -> str:
    """Return a path (or any text) that is safe to print: what is not printable shows as an escape."""
    if path.isprintable() and not _HIDDEN.search(path):
        return path
    return "".join(character if _shows(character) else _displayed(character) for character in path)


def display_text(text: str) -> str:
    """Return text of any number of lines that is safe to print; what is safe already stays as it is."""
    return "\n".join(map(display_path, text.split("\n")))


def _escaped(match: re.Match[str]) -> str:
    character = match.group()
    return _NAMED.get(character) or _code(character)


def _code(character: str) -> str:
    return f"\\x{ord(character):02x}" if ord(character) < 0x100 else f"\\u{ord(character):04x}"


def _unescaped(match: re.Match[str]) -> str:
    short, long, name = match.groups()
    if name is None:
        return chr(int(short or long, 16))
    if name not in _NAMES:
        raise ValueError(f"unknown escape {match.group()!r}")
    return _NAMES[name]


def _shows(character: str) -> bool:
    return character.isprintable() and not _HIDDEN.match(character)


def _displayed(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte of a file name that is no UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    escaped = escape_field(character)
    return escaped if escaped != character else character.encode("unicode_escape").decode("ascii")
