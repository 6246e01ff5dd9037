"""Whether something that is limited to engine versions applies to one."""

from __future__ import annotations

import re

_PLAIN_VERSION = re.compile(r"\d+(?:\.\d+)*")
_PLAIN_CLAUSE = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*(\d+(?:\.\d+)*)\s*")


def engine_applies(specifier: str | None, engine: str | None) -> bool:
    """Whether `engine` lies in `specifier`; an unknown engine lies in all, and no specifier takes in all.

    Raises ValueError where one of them is no version.
    """
    if specifier is None or engine is None:
        return True
    clauses = [_PLAIN_CLAUSE.fullmatch(clause) for clause in specifier.split(",")]
    if _PLAIN_VERSION.fullmatch(engine) and all(clauses):
        return all(_holds(found[1], _numbers(engine), _numbers(found[2])) for found in clauses if found)
    # Pre-releases, wildcards and the like: packaging knows them, but is slow to import.
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(specifier).contains(engine, prereleases=True)


def _numbers(version: str) -> tuple[int, ...]:
    numbers = [int(part) for part in version.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _holds(operator: str, left: tuple[int, ...], right: tuple[int, ...]) -> bool:
    if operator == ">=":
        return left >= right
    if operator == "<=":
        return left <= right
    if operator == ">":
        return left > right
    if operator == "<":
        return left < right
    return (left == right) == (operator == "==")
