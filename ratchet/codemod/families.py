"""Functions with all that is called by their names: methods with those that they override, and the calls."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ratchet.analysis.modules import module_name
from ratchet.codemod.callsites import look
from ratchet.codemod.dropping import drop_splice
from ratchet.codemod.mentions import Class, Definition, Mention, Seen
from ratchet.codemod.model import Drop
from ratchet.codemod.splice import Splice
from ratchet.codemod.style import Style
from ratchet.frozen import dataclass
from ratchet.model import Problem, ReadFile
from ratchet.syntax.document import Document, read_document

_WORD = re.compile(rb"\w+")
_ROUNDS = 6
_KEPT = 8
_FEW = 40  # so many words are searched for one by one in less time than a text is cut into words
_NEUTRAL = frozenset(("object", "abc.ABC", "typing.Generic", "typing.Protocol", "typing_extensions.Protocol"))
_HARMLESS = frozenset(("staticmethod", "classmethod", "abstractmethod", "override", "contextmanager"))
_CONSTRUCTOR = "__init__"


@dataclass(frozen=True, slots=True)
class Site:
    """A call; `shift` says how many parameters at the start it does not pass: 1 where the object is one."""

    mention: Mention
    shift: int


@dataclass(frozen=True, slots=True)
class Family:
    """Definitions that are called by one name, all calls of them, and what is not known of those."""

    name: str
    members: tuple[Definition, ...]
    sites: tuple[Site, ...]
    faults: tuple[str, ...]


class Families:
    """The families of functions of a tree, found in the files that hold their names.

    `paths` are the files, `read` gives the bytes of one.
    """

    def __init__(self, paths: Sequence[str], read: ReadFile, style: Style) -> None:
        self._paths = paths
        self._read = read
        self._documents: dict[str, Document | None] = {}
        self._splices: dict[Drop, Splice | None] = {}
        self._style = style
        self._modules = {self.module(path): path for path in paths}
        self._words: set[str] = set()
        self._held: dict[str, frozenset[str]] = {}
        self._seen: dict[str, Seen] = {}
        self._unread: list[str] = []
        self._definitions: dict[str, list[Definition]] = {}
        self._classes: dict[str, Class] = {}
        self._aliases: dict[str, str] = {}
        self._mentions: list[Mention] = []
        self._derived: dict[str, list[str | None]] = {}
        self._heirs: dict[str, list[str]] = {}
        self._built_by: dict[str, set[str]] = {}
        self._families: dict[tuple[str, str], Family] = {}

    def module(self, path: str) -> str:
        """The dotted name of a file's module."""
        return module_name(self._style.package, path)[0]

    def of(self, path: str, dotted: str) -> Family:
        """The family of a function."""
        known = self._families.get((path, dotted))
        if known is None:
            known = self._families[path, dotted] = self._found(path, dotted)
        return known

    def _found(self, path: str, dotted: str) -> Family:
        own = [item for item in self._definitions.get(dotted, ()) if item.path == path]
        faults = [f"{item} cannot be read" for item in self._unread]
        if len(own) != 1:
            return Family(dotted, tuple(own), (), (*faults, "it is defined more than once"))
        member = own[0]
        if member.owner is None:
            return self._function(member, faults)
        if member.name == _CONSTRUCTOR:
            return self._constructor(member, faults)
        return self._method(member, faults)

    # Reading

    def document(self, path: str) -> Document | None:
        """A file of the tree; None where it cannot be read. The last few are kept: trees are large."""
        if path not in self._documents:
            data = self._read(path)
            found = data if isinstance(data, Problem) else read_document(path, data)
            for old in list(self._documents)[: 1 - _KEPT]:
                del self._documents[old]
            self._documents[path] = None if isinstance(found, Problem) else found
        return self._documents[path]

    def splice_of(self, drop: Drop) -> Splice | None:
        """What takes a parameter or an argument out of its file; None where nothing can."""
        if drop not in self._splices:
            document = self.document(drop.path)
            self._splices[drop] = drop_splice(document, drop) if document is not None else None
        return self._splices[drop]

    def gather(self, wanted: Collection[tuple[str, str]]) -> None:
        """Read the files with the names of functions and of their classes, until no new class turns up.

        `wanted` are dotted names of functions, each with that of its class where it is a method.
        """
        words = {dotted.rpartition(".")[2] for pair in wanted for dotted in pair if dotted}
        owners = {owner for _, owner in wanted if owner}
        for _ in range(_ROUNDS):
            if words <= self._words:
                return
            new = words - self._words
            self._words |= new
            self._scan(new)
            family = {name for owner in owners for name in self._related(owner)}
            words = {name.rpartition(".")[2] for name in family}
        self._unread.append("a hierarchy of classes that goes on and on")

    def _scan(self, new: Iterable[str]) -> None:
        """Look at the files that hold new words, for these and for those that were found in them before."""
        words = {word.encode(): word for word in new}
        for path in self._paths:
            data = self._read(path)
            if isinstance(data, Problem) or not (found := _held(data, words)):
                continue
            hits = self._held[path] = found | self._held.get(path, frozenset())
            if hits <= {_CONSTRUCTOR}:
                continue
            document = read_document(path, data)
            if isinstance(document, Problem):
                self._unread.append(path)
            else:
                self._seen[path] = look(document, hits, self._style)
        self._join()

    def _join(self) -> None:
        self._definitions, self._mentions = {}, []
        for seen in self._seen.values():
            for item in seen.definitions:
                self._definitions.setdefault(item.dotted, []).append(item)
            self._classes.update({item.dotted: item for item in seen.classes})
            self._aliases.update(seen.aliases)
            self._mentions += seen.mentions
        self._derived, self._heirs = {}, {}
        for name, found in self._classes.items():
            self._derived[name] = [self._real(base) if base is not None else None for base in found.bases]
            for base in self._derived[name]:
                self._heirs.setdefault(base or "", []).append(name)
        self._built_by, self._families = {}, {}
        for name in self._classes:
            self._built_by.setdefault(self._builder(name), set()).add(name)

    def _real(self, dotted: str) -> str:
        """What a name stands for where modules hand it on."""
        for _ in range(10):
            owner, _, name = dotted.rpartition(".")
            if dotted in self._aliases:
                dotted = self._aliases[dotted]
            elif owner in self._aliases:
                dotted = f"{self._aliases[owner]}.{name}"
            else:
                break
        return dotted

    # Classes

    def _bases(self, dotted: str) -> list[str | None]:
        return self._derived.get(dotted, [])

    def _ancestors(self, dotted: str) -> Iterator[str]:
        seen, pending = set(), [dotted]
        while pending:
            name = pending.pop()
            if name not in seen:
                seen.add(name)
                yield name
                pending += [base for base in self._bases(name) if base is not None]

    def _related(self, dotted: str) -> set[str]:
        """A class with all that it derives from, and all that derive from one of these, of the tree."""
        found: set[str] = set()
        pending = [dotted] if dotted in self._classes else []
        while pending:
            name = pending.pop()
            if name not in found and self._is_ours(name):
                found.add(name)
                pending += [base for base in self._bases(name) if base is not None]
                pending += self._heirs.get(name, ())
        return found

    def _is_ours(self, dotted: str) -> bool:
        return dotted.startswith(f"{self._style.package}.")

    # Families

    def _function(self, member: Definition, faults: list[str]) -> Family:
        sites: list[Site] = []
        faults += _of_definition(member)
        for mention in self._named(member.name):
            target = self._real(mention.target) if mention.target is not None else None
            if target == member.dotted and mention.kind == "call":
                sites.append(Site(mention, 0))
            elif target is None or target == member.dotted or self._is_unknown(mention, target):
                faults.append(_told(mention))
        return Family(member.dotted, (member,), tuple(sites), tuple(faults))

    def _method(self, member: Definition, faults: list[str]) -> Family:
        classes = self._related(member.owner or "")
        names = {f"{name}.{member.name}" for name in classes}
        members = [item for name in sorted(names) for item in self._definitions.get(name, ())]
        for name in sorted(classes):
            faults += self._of_class(name)
        for item in members:
            faults += _of_definition(item)
        if member.name.startswith("__") and member.name.endswith("__"):
            faults.append(f"{member.name} is called by the language")
        static = any("staticmethod" in item.decorators for item in members)
        of_class = any("classmethod" in item.decorators for item in members)
        sites: list[Site] = []
        for mention in self._named(member.name):
            target = self._real(mention.target) if mention.target is not None else None
            if target in names and mention.kind == "call":
                sites.append(Site(mention, 0 if static else int(mention.bound or of_class)))
            elif target is None or target in names or self._is_unknown(mention, target):
                faults.append(_told(mention))
        root = min(names, default=member.dotted)
        return Family(root, tuple(members), tuple(sites), tuple(faults))

    def _constructor(self, member: Definition, faults: list[str]) -> Family:
        owner = member.owner or ""
        heirs = self._built_by.get(owner, set())
        family = [name for name in self._related(owner) if owner in self._ancestors(name)]
        for name in sorted(family):
            faults += self._of_class(name, constructed=True)
        faults += _of_definition(member)
        sites: list[Site] = []
        words = {name.rpartition(".")[2] for name in family} | {"cls"}
        for mention in self._mentions:
            target = self._real(mention.target) if mention.target is not None else None
            if mention.word == _CONSTRUCTOR:
                holder = (target or "").removesuffix(f".{_CONSTRUCTOR}")
                if mention.kind != "call" and holder in family:
                    faults.append(_told(mention))
                elif mention.bound and holder in family and holder != owner and self._above(holder) == owner:
                    sites.append(Site(mention, 1))
                elif not mention.bound and holder in heirs:
                    sites.append(Site(mention, 0))
            elif mention.word in words and target in heirs and mention.kind == "call":
                sites.append(Site(mention, 1))
            elif mention.word in words and self._speaks_of(mention, target, heirs):
                faults.append(_told(mention))
        return Family(member.dotted, (member,), tuple(sites), tuple(faults))

    def _speaks_of(self, mention: Mention, target: str | None, heirs: Collection[str]) -> bool:
        if mention.kind in ("type", "base") or (mention.word == "cls" and mention.kind == "call"):
            return False
        if target is None:
            return mention.word in {name.rpartition(".")[2] for name in heirs}
        return target in heirs or self._is_unknown(mention, target)

    def _builder(self, dotted: str) -> str:
        """The class whose constructor makes the objects of a class; empty where it is none of the tree."""
        for name in self._ancestors(dotted):
            if f"{name}.{_CONSTRUCTOR}" in self._definitions:
                return name
        return ""

    def _above(self, dotted: str) -> str:
        return next((self._builder(base) for base in self._bases(dotted) if base is not None), "")

    def _of_class(self, dotted: str, constructed: bool = False) -> Iterator[str]:
        """What is not known of a class's methods."""
        found = self._classes.get(dotted)
        if found is None:
            yield f"the class {dotted} is not found"
            return
        bases = [base for base in self._bases(dotted) if base not in _NEUTRAL]
        outside = [base or "something" for base in bases if base is None or not self._is_ours(base)]
        if outside and not constructed:
            yield f"{dotted} derives from {outside[0]}, which may call it"
        if constructed and found.odd:
            yield f"{dotted}: {found.odd}"
        if constructed and len(bases) > 1:
            yield f"{dotted} derives from several classes"

    def _named(self, word: str) -> Iterator[Mention]:
        return (mention for mention in self._mentions if mention.word == word)

    def _is_unknown(self, mention: Mention, target: str) -> bool:
        """Whether a name of the tree is meant of which nothing is known: it may be the function itself."""
        if mention.bound or not self._is_ours(target) or mention.kind == "type":
            return False
        return target not in self._definitions and target not in self._classes and self._may_hold(target)

    def _may_hold(self, target: str) -> bool:
        owner = target.rpartition(".")[0]
        return owner in self._modules or owner in self._classes


def _held(data: bytes, words: Mapping[bytes, str]) -> frozenset[str]:
    """Those of some words that bytes hold, and not only as a part of a longer one."""
    likely = {word for word in words if word in data} if len(words) <= _FEW else words.keys()
    return frozenset(words[word] for word in likely & set(_WORD.findall(data))) if likely else frozenset()


def _of_definition(member: Definition) -> Iterator[str]:
    strange = [name for name in member.decorators if name not in _HARMLESS]
    if strange:
        yield f"{member.path}:{member.line} is decorated by {strange[0]}"


def _told(mention: Mention) -> str:
    where = f"{mention.path}:{mention.line}"
    if mention.kind == "export":
        return f"{where} exports it"
    if mention.kind == "text":
        return f"{where} names it in a string"
    if mention.target is None:
        return f"{where} uses {mention.word} of an object that is not known"
    return f"{where} uses it as a value" if mention.kind != "call" else f"{where} may mean it"
