"""Numbers claimed in a commit message, such as `Writer ratchet 19 -> 18`, against what the trees say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ratchet.checking.check import STAGED, require_repository
from ratchet.checking.committed import baselines_at
from ratchet.checking.since import count_commit
from ratchet.frozen import dataclass
from ratchet.model import Rule
from ratchet.session import Session
from ratchet.source import git
from ratchet.source.objects import git_index

_CLAIM = re.compile(r"(?<![\w.,])(\d[\d,]*)\s*(?:->|→|=>)\s*(\d[\d,]*)(?![\d,]*[.]?\w)")
_SENTENCE_END = re.compile(r"(?<=[.;!?])\s+|\n\s*\n|\n(?=\s*[-*•])")
_RATCHET = re.compile(r"\bratchets?\b", re.IGNORECASE)
_WORD = re.compile(r"[a-z0-9_]+")
_SCISSORS = re.compile(r"^# -+ >8 -+$", re.MULTILINE)
_COMMENT = re.compile(r"^#.*$", re.MULTILINE)
_LOOK_BACK = 4
# Words of any sentence: they tell no rule from another.
_EMPTY = frozenset("a an and as by call calls count in is of site sites so that the to".split())


@dataclass(frozen=True, slots=True)
class Claim:
    """`old -> new` as a sentence says it, and how that sentence names its rule (empty: only as a ratchet)."""

    old: int
    new: int
    sentence: str
    name: str


@dataclass(frozen=True, slots=True)
class Truth:
    """What a rule's numbers are: before (of the last commit's tree, and of its baseline), and now."""

    rule: str
    before: int
    baseline: int | None
    now: int

    def agrees(self, claim: Claim) -> bool:
        """Whether the claim says these numbers."""
        return claim.new == self.now and claim.old in (self.before, self.baseline)


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim, and the numbers of the rules that it may be about; several where its words fit several."""

    claim: Claim
    truths: tuple[Truth, ...]

    @property
    def holds(self) -> bool:
        """Whether the numbers are those of a rule that the claim may be about."""
        return any(truth.agrees(self.claim) for truth in self.truths)


def claims_in(message: str, rules: Iterable[str]) -> tuple[Claim, ...]:
    """The claims of a commit message: those in sentences that name a rule's id, or say `ratchet`.

    Comment lines are left out, and everything below git's scissors.
    """
    text = _COMMENT.sub("", _SCISSORS.split(message)[0])
    ids = sorted(rules, key=len, reverse=True)
    return tuple(claim for sentence in _SENTENCE_END.split(text) for claim in _claims_of(sentence, ids))


def matching_rules(name: str, rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules whose ids or titles share the most words with a name; the rule itself where it is an id."""
    known = tuple(rules)
    exact = tuple(rule for rule in known if name in (rule.id, *rule.formerly))
    if exact:
        return exact
    words = _words(name)
    scores = [len(words & _words(f"{rule.id} {' '.join(rule.formerly)} {rule.title}")) for rule in known]
    best = max(scores, default=0)
    if not best:
        return known if len(known) == 1 else ()
    return tuple(rule for rule, score in zip(known, scores, strict=True) if score == best)


def check_claims(session: Session, message: str, staged: bool) -> tuple[Finding, ...]:
    """Each claim of a message beside what the trees say.

    Before is the last commit; now is git's index where something is staged in it (or `staged` says so), else
    the files on disk. Raises JudgeError where one of the trees could not be judged.
    """
    claims = claims_in(message, [name for rule in session.rules for name in (rule.id, *rule.formerly)])
    if not claims:
        return ()
    truths = _truths(session, staged)
    return tuple(
        Finding(claim, tuple(truths[rule.id] for rule in matching_rules(claim.name, session.rules)))
        for claim in claims
    )


def _claims_of(sentence: str, ids: Iterable[str]) -> Iterator[Claim]:
    flat = " ".join(sentence.split())
    for found in _CLAIM.finditer(flat):
        before = flat[: found.start()]
        named = next(
            (rule for rule in ids if re.search(rf"(?<![\w-]){re.escape(rule)}(?![\w-])", flat)), None
        )
        said = list(_RATCHET.finditer(before)) or list(_RATCHET.finditer(flat))
        if named is None and not said:
            continue
        name = named or " ".join(flat[: said[-1].start()].split()[-_LOOK_BACK:])
        yield Claim(_number(found[1]), _number(found[2]), flat, name)


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def _words(text: str) -> frozenset[str]:
    return frozenset(word.removesuffix("s") for word in _WORD.findall(text.lower()) if word not in _EMPTY)


def _truths(session: Session, staged: bool) -> dict[str, Truth]:
    from ratchet.errors import JudgeError

    repository = require_repository(session, "--message")
    place = session.place
    index = git_index(repository, place.prefix, place.excludes)
    use_index = staged or _something_is_staged(repository)
    source = index if use_index else session.work_tree()
    tree = session.tree(source, STAGED if use_index else "")
    now = session.count(tree)
    if now.census.problems or not now.census.discovered:
        first = [f"{each.path}:{each.line}: {each.message}" for each in now.census.problems]
        raise JudgeError(f"the numbers of now cannot be told: {(first or ['no file was found'])[0]}")
    if git.head_of(repository) is None:
        before, baselines = {}, {}
    else:
        before = dict(count_commit(session, "HEAD", tree.engine).sites)
        baselines = dict(baselines_at(session, "HEAD", session.rules))
    return {
        rule.id: Truth(
            rule.id,
            len(before.get(rule.id, ())),
            baselines[rule.id].total if rule.id in baselines else None,
            len(now.sites.get(rule.id, ())),
        )
        for rule in session.rules
    }


def _something_is_staged(repository: Path) -> bool:
    """Whether the next commit will hold anything else than the last one."""
    if git.head_of(repository) is None:
        return True
    staged = {(item.path, item.blob) for item in git.index_items(repository)}
    return staged != {(item.path, item.blob) for item in git.tree_items(repository, "HEAD")}
