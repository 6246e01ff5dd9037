"""Variants of each kind of case in the contract: one file a kind under `variants/`."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter

import pytest

from tests.analysis.cases import HERE, Case, load
from tests.analysis.conftest import Analyse

FILES = sorted((HERE / "variants").glob("*.toml"))
CASES = [case for path in FILES for case in load(path)]
CONTRACT = list(load(HERE / "conformance.toml"))
RUNNABLE = [case for case in CASES if case.python <= sys.version_info]


def params(cases: list[Case]) -> list[object]:
    return [pytest.param(case, id=case.id) for case in cases]


@pytest.mark.parametrize("case", params(RUNNABLE))
def test_variant(case: Case, analyse: Analyse) -> None:
    assert analyse(case.code, case.path) == list(case.accesses)


@pytest.mark.parametrize("case", params([case for case in CASES if case not in RUNNABLE]))
def test_grammar_newer_than_this_python_is_an_error(case: Case, analyse: Analyse) -> None:
    """Never a silent "no accesses": the file is a problem of the run."""
    with pytest.raises(SyntaxError):
        analyse(case.code, case.path)


def test_cases_are_sound() -> None:
    assert [case.id for case in CASES if not is_sound(case)] == []


def test_names_and_codes_are_unique() -> None:
    assert [name for name, count in Counter(case.id for case in CASES).items() if count > 1] == []
    texts = Counter((case.code, case.path) for case in CASES)
    texts.update({(case.code, case.path) for case in CONTRACT})
    assert [code for code, count in texts.items() if count > 1] == []


def test_there_are_enough_cases() -> None:
    """Each case that finds has its twin below that must give nothing, beside those that ignore alone."""
    ignores = [case for case in CASES if not case.accesses or case.silent]
    assert len(ignores) >= 250
    assert len(CASES) - len(ignores) >= 250


@pytest.mark.parametrize("file", sorted({case.file for case in [*CONTRACT, *CASES]}))
def test_twins_give_nothing(file: str, analyse: Analyse) -> None:
    """The same shapes around an accessor of another package, and names that merely look conventional."""
    cases = [case for case in [*CONTRACT, *RUNNABLE] if case.file == file and case.accesses]
    found = {case.id: analyse(twin(case.code), f"twin/{case.path}") for case in cases}
    assert {name for name, accesses in found.items() if accesses} == NO_TWIN & set(found)


def twin(code: str) -> str:
    code = code.replace("sglang.", "othertool.").replace("import sglang", "import othertool")
    if "import ServerArgs" not in code and "class ServerArgs" not in code:
        code = code.replace("ServerArgs", "ServerArgsLike")
    return CONVENTIONAL.sub("server_args_like", code)


OPERATIONS = {"read", "write", "delete", "mutate", "call", "escape", "scoped"}
CONVENTIONAL = re.compile(r"\b(?!get_|prepare_)(?:\w*_)?server_args\b")
# There, get_server_args is a conventional attribute name too.
NO_TWIN = {"escapes: accessor through its module handed on"}
ORIGINS = {"global", "supplied", "mixed", "constructed", "copy", "namespace"}


def is_sound(case: Case) -> bool:
    """Whether it parses, and expects what can be: expressions of its code, and words of the contract."""
    return (
        (case.python > sys.version_info or parses(case.code))
        and all(text in case.code for text in case.silent)
        and all(line.split()[0] in OPERATIONS and line.split()[1] in ORIGINS for line in case.accesses)
    )


def parses(code: str) -> bool:
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return True
