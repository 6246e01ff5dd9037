"""Bytes as text, the way Python's own parser reads them; and which bytes need no parser at all."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from ratchet.frozen import dataclass
from ratchet.model import Problem

_BOM = b"\xef\xbb\xbf"
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_HEAD = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)?[^\r\n]*")
_ASCII = bytes(range(128))
_IDENTIFIER = re.compile("[0-9A-Za-z_]")
# Encodings in which an ASCII byte is that character and every ASCII character is that byte. Multi-byte and
# escaping ones (utf-7, iso-2022, shift_jis, punycode, unicode_escape) are not: bytes prove nothing there.
_TRANSPARENT = re.compile(r"utf-8(-sig)?|ascii|iso8859-\d+|cp125\d|koi8-[rtu]|cp437|cp850")
_WIDE = re.compile(r"utf-(16|32)(-[bl]e)?")
# In string literals: a letter, digit or underscore by its number or name; and two literals that are one word.
_ESCAPED = re.compile(rb"\\(?:x[3-7]|u00[3-7]|U000000[3-7]|N\{|[01][0-7][0-7])")
_SPLIT = re.compile(rb"""["'](?<=\w["'])\s*(?:(?:\\|#[^\r\n]*)[\r\n]\s*){0,9}[rRuUbBfF]*["']\w""")
# What may stand right before a whole word and makes it a part of a longer one.
_IN_WORD = re.compile(rb"[^\\]?\w", re.DOTALL)
_STEM = 4
_UTF8 = re.compile(r"utf-8(-sig)?")


@dataclass(frozen=True, slots=True)
class Prefilter:
    """Tells from its bytes whether a file may hold one of the tracked names. Build it with `of`."""

    words: tuple[str, ...]
    needles: tuple[bytes, ...]
    modules: tuple[bytes, ...] = ()
    whole: tuple[bytes, ...] = ()

    @classmethod
    def of(cls, words: Iterable[str], modules: Iterable[str] = (), whole: Iterable[str] = ()) -> Prefilter:
        """Return a prefilter for identifiers or parts of them; one that holds another adds no search.

        `whole` are identifiers that count only as such: in a longer word they are none.

        `modules` are names of modules that hold the tracked names: a text with one of them may spell a name
        in pieces, as in `getattr(module, "na" "me")`.
        """
        shortest: list[str] = []
        for word in sorted({_normal(word) for word in words if word}, key=lambda word: (len(word), word)):
            if not any(known in word for known in shortest):
                shortest.append(word)
        return cls(
            tuple(shortest),
            tuple(word.encode("utf-8") for word in shortest),
            tuple(sorted({_normal(module).encode("utf-8") for module in modules})),
            tuple(
                name.encode("utf-8")
                for name in sorted(set(map(_normal, whole)))
                if not any(known in name for known in shortest)
            ),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """All that it looks for, but for modules."""
        return (*self.words, *(name.decode("utf-8") for name in self.whole))

    def hits(self, data: bytes) -> bool:
        """Return False only where no parser could find a tracked name in `data`, nor anything to complain of.

        True for bytes that hold a needle; for text whose letters normalise to one, as Python normalises
        identifiers; for encodings that give ASCII bytes another meaning; for what does not decode; and for
        string literals in pieces that may be the name of a module's attribute.
        """
        found = any(needle in data for needle in self.needles) or self._holds_whole(data)
        return found or self.hides(data) or self._in_pieces(data)

    def _holds_whole(self, data: bytes) -> bool:
        """Whether bytes hold one of the whole words; the letter of an escape before it may be none of it."""
        return any(
            not _IN_WORD.fullmatch(data[max(found.start() - 2, 0) : found.start()])
            for stem, ends in _ends_of_words(self.whole)
            if stem in data
            for found in ends.finditer(data)
        )

    def hides(self, data: bytes) -> bool:
        """Return whether `data` may hold a needle that a search of its bytes does not find."""
        return _opaque(data) or self._disguised(data)

    def _in_pieces(self, data: bytes) -> bool:
        """Whether a text that names a module may name an attribute of it in an escaped or split literal."""
        if b"attr" not in data or not any(module in data for module in self.modules):
            return False
        return _ESCAPED.search(data) is not None or _SPLIT.search(data) is not None

    def _disguised(self, data: bytes) -> bool:
        if data.isascii():
            return False
        if not (_UTF8.fullmatch(_declared(data) or "") and all(map(str.isascii, self.names))):
            return True
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return True
        disguises = [letter for letter in set(data.translate(None, _ASCII).decode("utf-8")) if _plain(letter)]
        for letter in disguises:
            text = text.replace(letter, _normal(letter))
        return bool(disguises) and any(word in text for word in self.names)


@lru_cache(8)
def _ends_of_words(names: tuple[bytes, ...]) -> tuple[tuple[bytes, re.Pattern[bytes]], ...]:
    """One expression for all names that start alike, behind what they start with; each ends with its word."""
    groups: dict[bytes, list[bytes]] = {}
    for name in names:
        groups.setdefault(name[:_STEM], []).append(re.escape(name[_STEM:]))
    return tuple(
        (stem, re.compile(rb"%s(?:%s)(?!\w)" % (re.escape(stem), b"|".join(ends))))
        for stem, ends in groups.items()
    )


def decode(data: bytes, path: str) -> str | Problem:
    """Return the text that Python's parser sees: without BOM, every line end a newline; or why there is none.

    Lines end at newlines only: form feeds and other separators stay, so split with `split("\\n")`.
    """
    if b"\0" in data or data.startswith(_WIDE_MARKS):
        return Problem(path, _line(data, max(data.find(b"\0"), 0)), _binary(data))
    if b"coding" not in _head(data):
        body = data.removeprefix(_BOM)
        return _decoded(body, "utf-8", path)
    declared = _declared(data)
    if declared is None:
        return Problem(path, _cookie_line(data), "declares an encoding that Python does not know")
    return _decoded(data.removeprefix(_BOM), declared, path)


def _decoded(body: bytes, encoding: str, path: str) -> str | Problem:
    try:
        if _WIDE.fullmatch(encoding):
            raise LookupError
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        line = _line(body, error.start)
        return Problem(path, line, f"is not {encoding}; save it as UTF-8, or declare its encoding (PEP 263)")
    except (LookupError, ValueError):
        return Problem(path, _cookie_line(body), f"declares the encoding {encoding}, which Python refuses")
    if "\0" in text:
        return Problem(path, text.count("\n", 0, text.index("\0")) + 1, "holds a NUL character")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _binary(data: bytes) -> str:
    if data.startswith(_WIDE_MARKS) or data[1:2] == b"\0" or data[:1] == b"\0":
        return "looks like UTF-16 or UTF-32, which Python does not read; save it as UTF-8"
    return "holds a NUL byte, which Python does not read"


def _opaque(data: bytes) -> bool:
    """Whether the bytes may mean anything: with a NUL among them, or in an encoding that hides ASCII."""
    if b"\0" in data:
        return True
    if b"coding" not in _head(data):
        return False
    return not _TRANSPARENT.fullmatch(_declared(data) or "")


def _declared(data: bytes) -> str | None:
    """The codec's own name of the encoding of a file, None where Python would refuse it."""
    import codecs
    import tokenize

    # Python's parser translates line ends before it looks for the declaration.
    lines = iter(_head(data).replace(b"\r\n", b"\n").replace(b"\r", b"\n").splitlines(keepends=True))
    try:
        encoding, _ = tokenize.detect_encoding(lambda: next(lines, b""))
        return codecs.lookup(encoding).name
    except (SyntaxError, LookupError):
        return None


def _head(data: bytes) -> bytes:
    """The first two lines."""
    found = _HEAD.match(data)
    return found.group() if found else b""


def _cookie_line(data: bytes) -> int:
    first = re.split(rb"[\r\n]", data, maxsplit=1)[0]
    return 1 if b"coding" in first else 2


def _line(data: bytes, position: int) -> int:
    before = data[:position].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return before.count(b"\n") + 1


def _plain(letter: str) -> bool:
    """Whether Python reads this letter, in an identifier, as one or more of ASCII."""
    return _IDENTIFIER.search(_normal(letter)) is not None


def _normal(text: str) -> str:
    import unicodedata

    return text if text.isascii() else unicodedata.normalize("NFKC", text)
