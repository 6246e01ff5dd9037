"""Why a regular expression cannot serve: what runs away is told, what does not is let through."""

from __future__ import annotations

import pytest

from ratchet.matching.regex_faults import can_run_away, regex_fault


@pytest.mark.parametrize(
    ("regex", "runs_away"),
    [
        (r"(a+)+!", True),
        (r"(?:\w*)*!", True),
        (r"(a|b+)*!", True),
        (r"(\w+\s*)+!", True),
        (r"((x+)y*)*!", True),
        (r"(?:a+?)+!", True),
        (r"(\w+\w)+!", True),
        (r"(?:a+){2,}!", True),
        (r"(a+){25}!", True),
        (r"(?:a{2,5})+!", True),
        (r"(?:a{1,30})+!", True),
        (r"(?:ab|a|b)*!", True),
        (r"(?:aa|a)*!", True),
        (r"(?:(?:a?|b?)c)*!", True),
        (r"(x?){30}!", True),
        (r"((x?){9}){9}!", True),
        (r"((x?){5})*!", True),
        (r"(?:a?){11}!", True),
        (r"(?=(a+)+!)x", True),
        (r"(?i)(?:ab|AB)*!", True),
        (r"(?s)(?:.|\n)*!", True),
        (r"(?:é|[^a])*é!", True),
        (r"(b)(?:\1|b)*!", True),
        (r"(a)?(?:(?(1)b|b)|b)*!", True),
        (r"(?:\w+\.)+x", False),
        (r"(?:,\s*\w+)*", False),
        (r"(?:ab)+", False),
        (r"(?:a+){3}", False),
        (r"(?:a{2})+!", False),
        (r"\w+\s*\(", False),
        (r"(?:a|b)*", False),
        (r"(?:ab|AB)*!", False),
        (r"(x?){5}!", False),
        (r"(x?)*!", False),
        (r"(?:x?)+!", False),
        (r"(?:.|\n)*!", False),
        (r"(?:éa|üa)*!", False),
        (r"x{0,1000}y", False),
        (r"(?:\w{1,30}\.)+x", False),
        (r"(a)(?:\1|b)*!", False),
        (r"(?:\s*#.*\n)*x", False),
        (r"^(?:\s*\w+\s*=\s*\w+,)*\)", False),
        (r"'(?:[^'\\]|\\.)*'", False),
        (r"a*b*c*!", False),
    ],
)
def test_can_run_away(regex: str, runs_away: bool) -> None:
    assert can_run_away(regex) is runs_away


@pytest.mark.parametrize(
    ("regex", "fault"),
    [
        ("a", None),
        ("^a$", None),
        ("(", "missing ), unterminated subpattern at position 0"),
        ("a*", "it matches the empty string, which is everywhere"),
        ("^", "it matches the empty string, which is everywhere"),
        ("(a+)+!", "it can run away: it repeats what matches in several ways, as (a+)+ does"),
    ],
)
def test_faults(regex: str, fault: str | None) -> None:
    assert regex_fault(regex) == fault
