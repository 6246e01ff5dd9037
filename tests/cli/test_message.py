"""`ratchet check --message`: the numbers that a commit message claims."""

from __future__ import annotations

import json

import pytest

from ratchet.checking.claims import claims_in, matching_rules
from ratchet.model import AnyMatch, Rule
from tests.cli.project import CART, Outcome, Project


def found(message: str) -> list[tuple[int, int, str]]:
    """The claims of a message as old, new and the rule's name; the project knows two rules."""
    return [(claim.old, claim.new, claim.name) for claim in claims_in(message, ["old-call", "old-call-text"])]


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        pytest.param("Writer ratchet 19 -> 18.", [(19, 18, "Writer")], id="as-the-seeds-say-it"),
        pytest.param(
            "readers move; the Record.override\n  ratchet drops 39 -> 35.\n- Next.",
            [(39, 35, "the Record.override")],
            id="over-two-lines",
        ),
        pytest.param(
            "The Record.override call-site ratchet drops 39 -> 38.",
            [(39, 38, "The Record.override call-site")],
            id="words-before-ratchet",
        ),
        pytest.param("Writer ratchet 19 → 18", [(19, 18, "Writer")], id="an-arrow"),
        pytest.param("old-call: 1,204 -> 1,200", [(1204, 1200, "old-call")], id="a-rule-by-its-id"),
        pytest.param("old-call-text 3 -> 2", [(3, 2, "old-call-text")], id="the-longer-id"),
        pytest.param(
            "39 -> 38 is what the writer ratchet says", [(39, 38, "is what the writer")], id="before"
        ),
        pytest.param(
            "Writer ratchet 5 -> 4. Reader ratchet 9 -> 7.", [(5, 4, "Writer"), (9, 7, "Reader")], id="two"
        ),
        pytest.param("Retries 3 -> 5", [], id="no-rule-and-no-ratchet"),
        pytest.param("Bump ratchet 0.3 -> 0.4", [], id="versions"),
        pytest.param("ratchet 3 -> 4ms", [], id="a-unit"),
        pytest.param("ratchet -> 4", [], id="one-number"),
        pytest.param("Fix.\n# Writer ratchet 19 -> 18.", [], id="a-comment"),
        pytest.param("Fix.\n# ---- >8 ----\nWriter ratchet 19 -> 18.", [], id="below-the-scissors"),
        pytest.param("not-old-call-at-all 3 -> 2", [], id="inside-of-another-word"),
        pytest.param("The ratchet is fine. Retries 3 -> 5", [], id="another-sentence"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_claims(message: str, claims: list[tuple[int, int, str]]) -> None:
    assert found(message) == claims


def rule(id: str, title: str) -> Rule:
    """A rule of which only the words matter."""
    return Rule(id, "copy", AnyMatch(), "ratchet", title, "w", "i", "f")


RULES = (
    rule("record-override", "calls of Record.override"),
    rule("text-override", "the writer, as text"),
    rule("record-read", "reads of the record"),
)


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        pytest.param("record-read", ["record-read"], id="the-id"),
        pytest.param("Writer", ["text-override"], id="a-word-of-the-title"),
        pytest.param("the Record.override call-site", ["record-override"], id="most-words"),
        pytest.param("override", ["record-override", "text-override"], id="ambiguous"),
        pytest.param("read", ["record-read"], id="singular"),
        pytest.param("budget", [], id="none"),
        pytest.param("the", [], id="a-word-of-any-sentence"),
    ],
)
def test_rules_that_a_name_may_mean(name: str, rules: list[str]) -> None:
    assert [each.id for each in matching_rules(name, RULES)] == rules


def test_the_only_rule_needs_no_name() -> None:
    assert matching_rules("budget", RULES[:1]) == RULES[:1]


LOWER = CART.replace('self.settings.override("cart", timeout=1)', "pass")


def claim(project: Project, message: str, *arguments: str) -> Outcome:
    """What the commit-msg hook says of a message."""
    place = project.write(".git/COMMIT_EDITMSG", message)
    return project.run("check", "--message", str(place), *arguments)


def test_a_true_claim(committed: Project) -> None:
    committed.write("src/shop/cart.py", LOWER)
    committed.git("add", "--all")
    assert claim(committed, "Writer ratchet 2 -> 1.\n") == Outcome(
        0, "right: 2 -> 1 (settings-override)\n", ""
    )


@pytest.mark.parametrize(
    ("message", "code", "out"),
    [
        pytest.param(
            "Writer ratchet 2 -> 0.",
            1,
            "wrong: 2 -> 0, the tree says settings-override 2 -> 1\n  Writer ratchet 2 -> 0.\n",
            id="too-low",
        ),
        pytest.param(
            "settings-override 3 -> 1",
            1,
            "wrong: 3 -> 1, the tree says settings-override 2 -> 1\n  settings-override 3 -> 1\n",
            id="from-another-number",
        ),
        pytest.param(
            "Budget ratchet 2 -> 1",
            1,
            "unclear: 2 -> 1, and no rule is called like 'Budget': write the rule's id\n"
            "  Budget ratchet 2 -> 1\n",
            id="of-nothing",
        ),
        pytest.param("Retries 2 -> 9", 0, "no number of a rule is claimed\n", id="no-claim"),
        pytest.param(
            "shell 0 -> 0. settings-override 2 → 1.",
            0,
            "right: 0 -> 0 (shell)\nright: 2 -> 1 (settings-override)\n",
            id="two-claims",
        ),
    ],
)
def test_what_is_said_of_a_message(committed: Project, message: str, code: int, out: str) -> None:
    committed.write("src/shop/cart.py", LOWER)
    committed.git("add", "--all")
    assert claim(committed, message) == Outcome(code, out, "")


def test_what_is_staged_counts_where_something_is(committed: Project) -> None:
    committed.write("src/shop/cart.py", LOWER)
    assert claim(committed, "Writer ratchet 2 -> 1").code == 0  # nothing is staged yet: the disk counts
    committed.write("notes.md", "x")
    committed.git("add", "notes.md")
    assert claim(committed, "Writer ratchet 2 -> 1").code == 1
    committed.git("add", "src")
    committed.write("src/shop/cart.py", CART)
    assert claim(committed, "Writer ratchet 2 -> 1").code == 0
    assert claim(committed, "Writer ratchet 2 -> 1", "--staged").code == 0


def test_a_stale_baseline_may_be_what_the_message_starts_from(committed: Project) -> None:
    committed.write("src/shop/cart.py", LOWER)
    committed.git("commit", "--quiet", "--all", "--message=not tightened")
    committed.write("src/shop/cart.py", "")
    committed.git("add", "--all")
    assert claim(committed, "Writer ratchet 2 -> 0").code == 0
    assert claim(committed, "Writer ratchet 1 -> 0").code == 0
    assert claim(committed, "Writer ratchet 3 -> 0").code == 1


def test_an_ambiguous_name_is_said_to_be_one(committed: Project) -> None:
    committed.write("src/shop/cart.py", LOWER)
    committed.git("add", "--all")
    outcome = claim(committed, "settings ratchet 2 -> 1")
    assert (outcome.code, outcome.out) == (0, "right: 2 -> 1 (settings-override)\n")
    assert outcome.err == (
        "note: 'settings' may be any of settings-override, settings-read; write the rule's id to be clear\n"
    )


def test_as_json(committed: Project) -> None:
    report = json.loads(claim(committed, "shell 1 -> 0", "--format=json").out)
    assert report["claims"] == [
        {
            "old": 1,
            "new": 0,
            "sentence": "shell 1 -> 0",
            "holds": False,
            "rules": [{"id": "shell", "old": 0, "old_baseline": None, "new": 0}],
        }
    ]


def test_the_first_commit_starts_from_nothing(adopted: Project) -> None:
    adopted.git("init", "--quiet", "--initial-branch=main")
    adopted.git("add", "--all")
    assert claim(adopted, "Writer ratchet 0 -> 2").code == 0
    assert claim(adopted, "Writer ratchet 3 -> 2").code == 1


def test_a_tree_that_cannot_be_judged_confirms_nothing(committed: Project) -> None:
    committed.write("src/shop/broken.py", "def f(settings:\n")
    committed.git("add", "--all")
    outcome = claim(committed, "Writer ratchet 2 -> 2")
    assert (outcome.code, outcome.out) == (3, "")
    assert "the numbers of now cannot be told: broken.py:1: does not parse" in outcome.err


def test_outside_of_a_repository(adopted: Project) -> None:
    outcome = claim(adopted, "Writer ratchet 2 -> 2")
    assert (outcome.code, outcome.err) == (
        3,
        "ratchet: src/shop lies in no git repository, and --message needs one\n",
    )
