"""A file as a stage reads it: its text with line ends as they are, its tree, and positions as offsets."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping

from ratchet.analysis.lines import Lines
from ratchet.frozen import dataclass, field
from ratchet.model import Problem, Span
from ratchet.source.text import decode

Gaps = Mapping[int, tuple[int, int]]
Shorten = Callable[[Lines], tuple[str, Gaps]]
"""Gives a text to parse in the place of another one, each line where it was, and what it leaves out."""

_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A parsed file. `text` is without its byte order mark, and otherwise holds every character.

    `gaps` are the parts of the text, as offsets, that its tree leaves out, by the line on which each begins:
    there the tree has a function without a body of its own.
    """

    path: str
    mark: bytes
    encoding: str
    text: str
    tree: ast.Module
    lines: Lines
    newline: str
    gaps: Gaps = field(default_factory=dict)

    def encode(self, text: str) -> bytes:
        """The bytes of another text for this file. UnicodeEncodeError where its encoding lacks a letter."""
        return self.mark + text.encode(self.encoding)

    def start(self, node: ast.stmt | ast.expr | ast.alias | ast.keyword | ast.arg) -> int:
        """The offset of a node's first character."""
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: ast.stmt | ast.expr | ast.alias | ast.keyword | ast.arg) -> int:
        """The offset behind a node's last character."""
        return self.offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)

    def offset(self, line: int, byte_column: int) -> int:
        """The offset of a position as ast counts it: lines from 1, columns in bytes from 0."""
        return self.lines.starts[line - 1] + self.lines.column(line, byte_column) - 1

    def code(self, node: ast.stmt | ast.expr | ast.alias | ast.keyword) -> str:
        """The text of a node as it is written."""
        return self.text[self.start(node) : self.end(node)]

    def span(self, node: ast.expr | ast.stmt | ast.alias) -> Span:
        """Where a node stands, as accesses say it."""
        return self.lines.span(node)

    def line_start(self, offset: int) -> int:
        """The offset of the first character of the line that holds an offset."""
        return self.lines.starts[self.lines.line_of(offset) - 1]

    def line_end(self, offset: int) -> int:
        """The offset of the line end that follows an offset; the text's end where there is none."""
        found = _LINE_END.search(self.text, offset)
        return found.start() if found else len(self.text)

    def next_line(self, offset: int) -> int:
        """The offset of the line after the one that holds an offset; the text's end where there is none."""
        found = _LINE_END.search(self.text, offset)
        return found.end() if found else len(self.text)

    def goes_on(self, line: int) -> bool:
        """Whether a line, by its number, goes on from the one before, which ends with a backslash."""
        return line > 1 and self.lines.line(line - 1).rstrip("\r\n").endswith("\\")

    def indentation(self, offset: int) -> str:
        """The blanks before an offset in its line, where nothing else stands before it; else nothing."""
        before = self.text[self.line_start(offset) : offset]
        return before if not before.strip() else ""


def read_document(path: str, data: bytes, shorten: Shorten | None = None) -> Document | Problem:
    """Return a file's document, or why there is none: it does not decode, parse, or encode back.

    With `shorten` it is parsed in part, unless what is left does not parse by itself.
    """
    decoded = decode(data, path)
    if isinstance(decoded, Problem):
        return decoded
    mark = _BOM if data.startswith(_BOM) else b""
    encoding = _encoding(data)
    text = data[len(mark) :].decode(encoding)
    if mark + text.encode(encoding) != data:
        return Problem(path, 0, f"its bytes are not what {encoding} makes of its text, so it is left alone")
    lines = Lines(text)
    shorter, gaps = shorten(lines) if shorten is not None else (text, {})
    try:
        tree = ast.parse(shorter)
    except SyntaxError as error:
        if gaps:
            return read_document(path, data)
        return Problem(path, error.lineno or 0, f"does not parse: {error.msg}")
    except (RecursionError, MemoryError, ValueError):
        return Problem(path, 0, "is nested too deeply to be parsed")
    return Document(path, mark, encoding, text, tree, lines, _newline(text), gaps)


def text_of(data: bytes) -> str:
    """Return the text of a file that can be read: without its byte order mark, line ends as they are."""
    return data.removeprefix(_BOM).decode(_encoding(data))


def _encoding(data: bytes) -> str:
    """The encoding that a file declares; that it is known and right was seen when the file was decoded."""
    head = data[:1000].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"coding" not in b"".join(head.splitlines()[:2]):
        return "utf-8"
    import io
    import tokenize

    found = tokenize.detect_encoding(io.BytesIO(head).readline)[0]
    return "utf-8" if found == "utf-8-sig" else found


def _newline(text: str) -> str:
    """The line end that most lines have; a newline in a text of one line."""
    if "\r" not in text:
        return "\n"
    counts = {"\r\n": text.count("\r\n")}
    counts["\n"] = text.count("\n") - counts["\r\n"]
    counts["\r"] = text.count("\r") - counts["\r\n"]
    return max(counts, key=lambda end: counts[end])
