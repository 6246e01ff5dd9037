"""TOML tables read key by key; what is wrong with them is collected, so that all of it is told at once."""

from __future__ import annotations

import datetime
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from ratchet.frozen import dataclass

_HUGE = "a number of more than 64 bits"

Where = tuple[str | int, ...]
Word = TypeVar("Word", bound=str)

_NAME = re.compile(r"""'([^']*)'|"([^"]*)"|([^\s.'"]+)""")


@dataclass(frozen=True, slots=True)
class Document:
    """A TOML file: its name as errors show it, its text, and what it says."""

    name: str
    text: str
    data: Mapping[str, object]


def parse_document(name: str, data: bytes, faults: list[str]) -> Document | None:
    """The document in `data`; None, and a sentence in `faults`, where that is not TOML in UTF-8."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    text = ""
    try:
        text = data.decode("utf-8")
        document = Document(name, text, tomllib.loads(text))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        faults.append(f"{name}:{line}: is not UTF-8; save it in that encoding")
    except tomllib.TOMLDecodeError as error:
        # Python 3.10 to 3.13 give the position in the message only.
        reason, _, position = str(error).partition(" (at ")
        number = position.removeprefix("line ").partition(",")[0]
        place = f"{name}:{number if number.isdigit() else len(text.splitlines())}"  # else it is the end
        faults.append(f"{place}: is not TOML: {reason[:1].lower()}{reason[1:]}")
    except RecursionError:
        deepest = max(text.split("\n"), key=lambda line: sum(map(line.count, "[{.")))
        line = text.split("\n").index(deepest) + 1
        faults.append(f"{name}:{line}: is nested too deeply to be read")
    except ValueError:  # a number with more digits than Python reads
        line = text.count("\n", 0, max(re.finditer(r"[\d_]+", text), key=_length).start()) + 1
        faults.append(f"{name}:{line}: holds {_HUGE}")
    else:
        where, what = next(_unusable(document.data), ((), ""))
        if not what:
            return document
        faults.append(f"{name}:{_line_of(text, where) or 1}: holds {what}")
    return None


def _length(found: re.Match[str]) -> int:
    return len(found[0])


def _unusable(value: object) -> Iterator[tuple[Where, str]]:
    """What nothing can be meant by: numbers that TOML itself does not have, and NUL characters."""
    pending: list[tuple[Where, object]] = [((), value)]
    for where, found in pending:  # grows meanwhile: a table can be deeper than a call
        if isinstance(found, dict):
            pending += [((*where, key), part) for key, inner in found.items() for part in (key, inner)]
        elif isinstance(found, list):
            pending += [((*where, number), inner) for number, inner in enumerate(found)]
        elif isinstance(found, str) and "\0" in found:
            yield where, "a NUL character, which no path and no name has"
        elif isinstance(found, int) and not -(2**63) <= found < 2**63:
            yield where, _HUGE


class Table:
    """One table of a document. Each `take_*` method returns a key's value, or its default and a fault.

    A key that nobody took is unknown: `close` says so, with the nearest one that could have been meant.
    """

    def __init__(
        self, document: Document, faults: list[str], data: Mapping[str, object], where: Where = ()
    ) -> None:
        self.document = document
        self.where = where
        self._data = data
        self._faults = faults
        self._taken: list[str] = []

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        return key in self._data

    def peek(self, key: str) -> object:
        """The value of a key as it is, None where it is missing; it does not count as taken."""
        return self._data.get(key)

    def fault(self, key: str | None, message: str) -> None:
        """Record what is wrong with a key, or with the table itself, with its line where that can be told."""
        line = _line_of(self.document.text, (*self.where, key) if key else self.where)
        place = f"{self.document.name}:{line}" if line else self.document.name
        self._faults.append(f"{place}: {message}")

    def require(self, key: str, why: str) -> None:
        """Record a fault where the key is missing; `why` says what it is for."""
        if key not in self._data:
            self._taken.append(key)
            self.fault(None, f"`{key}` is missing{self._of_table()}: {why}")

    def take_text(self, key: str, default: str = "") -> str:
        """A string that is not blank, without the white space around it."""
        value = self._take(key)
        if value is None:
            return default
        if not isinstance(value, str) or not value.strip():
            self._expect(key, "a string that is not empty", value)
            return default
        return value.strip()

    def take_code(self, key: str) -> str | None:
        """A string as it is written, None where it is missing."""
        value = self._take(key)
        if value is not None and not isinstance(value, str):
            self._expect(key, "a string", value)
            return None
        return value

    def take_optional(self, key: str) -> str | None:
        """A string that is not blank, None where it is missing."""
        return self.take_text(key) or None

    def take_date(self, key: str) -> str | None:
        """An ISO date, written as a TOML date or as a string."""
        value = self._take(key)
        text = str(value)
        try:
            return None if value is None else datetime.date.fromisoformat(text).isoformat()
        except ValueError:
            self._expect(key, "a date such as 2026-12-31", value)
            return None

    def take_texts(self, key: str) -> tuple[str, ...]:
        """A list of strings that are not empty."""
        value = self._take(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
            self._expect(key, "a list of strings", value)
            return ()
        return tuple(value)

    def take_words(self, key: str, allowed: tuple[Word, ...]) -> tuple[Word, ...]:
        """A list of words out of `allowed`."""
        words = self.take_texts(key)
        for word in words:
            if word not in allowed:
                self._refuse(key, word, allowed)
        return tuple(word for word in words if word in allowed)

    def take_word(self, key: str, allowed: tuple[Word, ...], default: Word) -> Word:
        """One word out of `allowed`."""
        word = self.take_text(key, default)
        if word not in allowed:
            self._refuse(key, word, allowed)
            return default
        return word

    def take_flag(self, key: str) -> bool | None:
        """True or false, None where it is missing."""
        value = self._take(key)
        if value is not None and not isinstance(value, bool):
            self._expect(key, "true or false", value)
            return None
        return value

    def take_number(self, key: str, default: int) -> int:
        """A whole number that is not negative."""
        value = self._take(key)
        if value is None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            self._expect(key, "a whole number", value)
            return default
        return value

    def take_table(self, key: str) -> Table:
        """A table inside of this one, empty where it is missing."""
        value = self._take(key)
        if value is not None and not isinstance(value, dict):
            self._expect(key, "a table", value)
            value = None
        return Table(self.document, self._faults, value or {}, (*self.where, key))

    def take_tables(self, key: str) -> list[Table]:
        """The tables of an array of tables."""
        value = self._take(key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self._expect(key, f"an array of tables, each under [[{key}]]", value)
            return []
        return [
            Table(self.document, self._faults, item, (*self.where, key, number))
            for number, item in enumerate(value)
        ]

    def take_raw(self, key: str) -> Mapping[str, object] | None:
        """A table for another reader, None where it is missing."""
        value = self._take(key)
        if value is not None and not isinstance(value, dict):
            self._expect(key, "a table", value)
            return None
        return value

    def names(self) -> tuple[str, ...]:
        """The keys as written, for tables whose keys are names of the user's own."""
        return tuple(self._data)

    def close(self) -> None:
        """Record every key that was not taken as unknown."""
        for key in self._data:
            if key not in self._taken:
                self.fault(key, f"unknown key `{key}`{self._of_table()}{nearest(key, self._taken)}")

    def _take(self, key: str) -> Any:
        self._taken.append(key)
        return self._data.get(key)

    def _expect(self, key: str, expected: str, value: object) -> None:
        self.fault(key, f"`{key}` must be {expected}, and is {_kind(value)}")

    def _refuse(self, key: str, word: str, allowed: Iterable[str]) -> None:
        hint = nearest(word, tuple(allowed))
        self.fault(key, f"`{key}` cannot be `{word}`: it is one of {', '.join(allowed)}{hint}")

    def _of_table(self) -> str:
        names = ".".join(str(step) for step in self.where if isinstance(step, str))
        if not names:
            return ""
        return f" in [[{names}]]" if isinstance(self.where[-1], int) else f" in [{names}]"


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint at the known word that is nearest to `word`, or nothing."""
    from difflib import get_close_matches

    found = get_close_matches(word, sorted(set(known)), n=1)
    return f"; did you mean `{found[0]}`?" if found else ""


def _kind(value: object) -> str:
    if isinstance(value, str):
        return f'the string "{value}"' if len(value) < 40 else "a string"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    return "a table" if isinstance(value, dict) else f"{value}"


def _line_of(text: str, where: Where) -> int:
    """The line of a key or header, from 1; else that of what it holds, or of the table around it; else 0."""
    best, best_length, within = 0, 0, 0
    for line, path in _landmarks(text):
        length = len(path)
        if length > best_length and where[:length] == path:
            best, best_length = line, length
        if where and not within and path[: len(where)] == where:
            within = line
    return within if within and best_length < len(where) else best


def _landmarks(text: str) -> Iterable[tuple[int, Where]]:
    """Every header and key of a TOML text with its line; the inside of multi-line strings is left out."""
    header: Where = ()
    counts: dict[Where, int] = {}
    closing = ""
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if closing:
            closing = "" if closing in stripped else closing
            continue
        if stripped.startswith("[["):
            name = _dotted(stripped[2:].partition("]]")[0])
            counts[name] = counts.get(name, -1) + 1
            header = (*name, counts[name])
            yield number, header
        elif stripped.startswith("[") and stripped.endswith("]"):
            header = _dotted(stripped[1:-1])
            yield number, header
        elif "=" in stripped and not stripped.startswith("#"):
            key, _, value = stripped.partition("=")
            yield number, (*header, *_dotted(key))
            quote = value.strip()[:3]
            closing = quote if quote in ("'''", '"""') and quote not in value.strip()[3:] else ""


def _dotted(name: str) -> Where:
    found = _NAME.findall(name)
    return tuple(single or double or bare for single, double, bare in found)
