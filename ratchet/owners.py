"""Who owns a file, out of the repository's CODEOWNERS.

Patterns are read as GitHub reads them: like .gitignore, without `!` and `[...]`, and the last one that
matches decides, also where it names nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ratchet.errors import UsageError
from ratchet.frozen import dataclass

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""Where a repository may keep the file; the first that is there counts."""

_TOKENS = re.compile(r"(\*\*/|/\*\*$|\*\*|\*|\?)")
_REGEX = {"**/": "(?:.*/)?", "/**": "/.*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_WORDS = re.compile(r"(?:\\.|[^\s\\])+")


@dataclass(frozen=True, slots=True)
class Owners:
    """The lines of a CODEOWNERS file: the pattern's regular expression, and its owners."""

    lines: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = ()

    def owners_of(self, path: str) -> tuple[str, ...]:
        """Return the owners of a file, given by its path from the top of the repository; often none."""
        for pattern, owners in reversed(self.lines):
            if pattern.fullmatch(path):
                return owners
        return ()


def find_owners(repository: Path | None, file: Path | None = None) -> Path | None:
    """Return `file`, else the one in the usual place of the repository, else None."""
    if file is None and repository is not None:
        return next((repository / place for place in PLACES if (repository / place).is_file()), None)
    return file


def load_owners(repository: Path | None, file: Path | None = None) -> Owners:
    """Return the owners in `file`, else in the usual place of the repository, else none.

    A file that is named and cannot be read is a UsageError.
    """
    file = find_owners(repository, file)
    if file is None:
        return Owners()
    try:
        return parse_owners(file.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        reason = (error.strerror or "error").lower()
        raise UsageError(
            f"{file}: cannot be read: {reason}; correct `owners` in the configuration"
        ) from error


def parse_owners(text: str) -> Owners:
    """Return the lines of a CODEOWNERS text; headings and what GitHub skips as invalid are left out."""
    return Owners(tuple(_lines(text)))


def _lines(text: str) -> Iterator[tuple[re.Pattern[str], tuple[str, ...]]]:
    for line in text.split("\n"):
        words = _WORDS.findall(line)
        if not words or words[0].startswith(("#", "!", "[", "^[")):
            continue
        pattern, *rest = words
        end = next((at for at, word in enumerate(rest) if word.startswith("#")), len(rest))
        yield re.compile(_regex(re.sub(r"\\(.)", r"\1", pattern))), tuple(rest[:end])


def _regex(pattern: str) -> str:
    """The regular expression of a pattern for whole paths: of files, and of what lies in matching folders."""
    anchored = "/" in pattern.rstrip("/")
    body = pattern.strip("/")
    tokens = (_REGEX.get(token) or re.escape(token) for token in _TOKENS.split(body))
    # `docs/*` is the files in that folder, not what lies deeper; a trailing slash matches folders only.
    inside = "/.*" if pattern.endswith("/") else "" if body.endswith("/*") else "(?:/.*)?"
    return ("" if anchored else "(?:.*/)?") + "".join(tokens) + inside
