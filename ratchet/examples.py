"""The examples of rules as their tests: the bad ones are found, the good ones are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ratchet.model import Example, Rule, Site
from ratchet.wording import plural

Count = Callable[[Example, str], Sequence[Site]]
"""The sites of all rules in a piece of code, which stands where an example says, among the files of it."""

Fix = Callable[[Rule, Example, str], str]
"""What a rule's codemod makes of a piece of code, which stands where an example says."""


def check_examples(rule: Rule, count: Count, fix: Fix | None = None) -> tuple[str, ...]:
    """A sentence for each example of the rule that does not hold; none where they all do.

    With `fix`, what the rule's own codemod makes of the bad code has to be the fixed code. A SyntaxError of
    an example is such a sentence too. What `count` raises beside it is passed on.
    """
    return tuple(
        f"{rule.file}: {failure}"
        for number, example in enumerate(rule.examples, 1)
        for failure in (
            *_failures(rule, example, number, count),
            *(_unfixed(rule, example, number, fix) if fix is not None else ()),
        )
    )


def _unfixed(rule: Rule, example: Example, number: int, fix: Fix) -> Iterator[str]:
    if rule.own_codemod is None or example.bad is None or example.fixed is None:
        return
    try:
        made = fix(rule, example, example.bad.lstrip("\n")).strip().splitlines()
    except SyntaxError:
        return  # what counts the code says so
    fixed = example.fixed.strip().splitlines()
    if made != fixed:
        at = next((n for n, line in enumerate(made) if fixed[n : n + 1] != [line]), len(made))
        line = f"`{made[at]}`" if at < len(made) else "nothing more"
        yield (
            f"the codemod makes something else of the bad code of example {number} than the fixed code:"
            f" its line {at + 1} is {line}"
        )


def _failures(rule: Rule, example: Example, number: int, count: Count) -> Iterator[str]:
    if example.bad is not None:
        found = _sites(rule, example, example.bad, count)
        if isinstance(found, str):
            yield f"the bad code of example {number} {found}"
        elif len(found) != example.sites:
            expected = plural(example.sites, "site")
            yield f"the bad code of example {number} should hold {expected}, and {_listed(found)}"
    for kind, code in (("good", example.good), ("fixed", example.fixed)):
        found = _sites(rule, example, code, count) if code is not None else ()
        if isinstance(found, str):
            yield f"the {kind} code of example {number} {found}"
        elif found:
            yield f"the {kind} code of example {number} should hold no site, and {_listed(found)}"


def _sites(rule: Rule, example: Example, code: str, count: Count) -> tuple[Site, ...] | str:
    try:
        found = count(example, code.lstrip("\n"))
    except SyntaxError as error:
        return f"does not parse: line {error.lineno}: {error.msg}"
    return tuple(site for site in found if site.rule == rule.id)


def _listed(sites: Sequence[Site]) -> str:
    if not sites:
        return "none is found"
    found = ", ".join(f"line {site.span.line}: {site.code}" for site in sites)
    return f"{plural(len(sites), 'is', 'are')} found ({found})"
