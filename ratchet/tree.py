"""A source with everything that it is judged by: the pack, the engine's version, the schema, the plan."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from ratchet import __version__
from ratchet.analysis import VERSION, compile_pack
from ratchet.cache import Cache
from ratchet.errors import JudgeError
from ratchet.frozen import dataclass
from ratchet.judge import Plan
from ratchet.matching.engines import engine_applies
from ratchet.matching.places import common_exemptions
from ratchet.model import LOCAL_KINDS, AccessMatch, Kind, Pack, Problem, Rule, Schema
from ratchet.schema import decode, encode, schema_for, source_files
from ratchet.source.blob import blob_id
from ratchet.source.entries import Source
from ratchet.source.text import Prefilter

NO_SCHEMA = Schema("no schema", {})


@dataclass(frozen=True, slots=True)
class Tree:
    """A source, the pack and rules to judge it by, and what it says of itself.

    `root` is the name under which a cache remembers the source's files: a folder, or a commit's place.
    """

    source: Source
    root: str
    pack: Pack
    rules: tuple[Rule, ...]
    engine: str | None
    schema: Schema

    def asking(self, kind: Kind) -> tuple[Rule, ...]:
        """The rules of a kind that apply to its engine's version."""
        return tuple(
            rule for rule in self.rules if rule.kind == kind and engine_applies(rule.engines, self.engine)
        )


def open_tree(
    source: Source, root: str, pack: Pack, rules: Iterable[Rule], engine: str | None, cache: Cache
) -> Tree:
    """A source ready to be judged; its schema is read from it, else the pack's snapshot serves."""
    schema = _schema(source, pack, cache) if pack.schema is not None else NO_SCHEMA
    return Tree(source, root, pack, tuple(sorted(rules, key=lambda rule: rule.id)), engine, schema)


def plan_of(tree: Tree, *, namespaces: bool | None = None, local: bool = True) -> Plan:
    """The plan for a tree.

    `namespaces` says whether accesses to namespaces are wanted; by default, where a rule may count them.
    Without `local`, nothing is wanted but accesses: the rules that one file decides by itself are left out.
    """
    tracked = compile_pack(tree.pack, tree.schema)
    wide = any(_counts_namespaces(rule) for rule in tree.rules) if namespaces is None else namespaces
    # Whoever imports from an exempt file names it, and then what that file exports counts.
    exempt = common_exemptions(tree.rules, tree.engine)
    names = {path.rpartition("/")[2].removesuffix(".py") for path in exempt}
    modules = {name.split(".")[-2] for name in tracked.getters if "." in name}
    accessors = _accessors(tree.pack) if wide else set()
    prefilter = Prefilter.of(_words(tree.pack) | names, modules, accessors)
    rules = tuple(rule for rule in tree.rules if local or rule.kind not in LOCAL_KINDS)
    parts = [
        f"{VERSION} {__version__} {sys.version_info[:2]}",
        tree.pack.fingerprint,
        encode(tree.schema),
        *prefilter.names,
        *(rule.fingerprint for rule in rules if rule.kind in LOCAL_KINDS),
        tree.engine or "",
    ]
    fingerprint = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
    return Plan(tracked, prefilter, rules, tree.engine, fingerprint)


def _counts_namespaces(rule: Rule) -> bool:
    """Whether an access rule may count accesses to namespaces."""
    match = rule.match
    if rule.kind in ("flow", "role"):
        return True
    if not isinstance(match, AccessMatch) or match.objects:
        return False
    return "namespace" in match.origins or not match.origins


def _words(pack: Pack) -> set[str]:
    """Texts of which a file must hold one to hold an access to a record."""
    words = set()
    for item in pack.objects:
        functions = [name for name in item.constructors if not name.startswith(".")]
        words |= {name.rpartition(".")[2] for name in (item.class_name, *item.accessors, *functions)}
        words |= {max(glob.replace("?", "*").split("*"), key=len) for glob in (*item.names, *item.attributes)}
    for context in pack.contexts:
        words |= {slot for slot, _ in context.slots}
    return words


def _accessors(pack: Pack) -> set[str]:
    """Names of which a file must hold one to hold an access to a namespace."""
    accessors = [*(item.accessor for item in pack.contexts), *(item.accessor for item in pack.namespaces)]
    return {accessor.rpartition(".")[2] for accessor in accessors}


def _schema(source: Source, pack: Pack, cache: Cache) -> Schema:
    """The schema that serves a source, out of the cache where the files that declare it are unchanged."""
    assert pack.schema is not None
    paths = [entry.path for entry in source.entries()]
    contents: dict[str, bytes] = {}

    def list_files(below: str) -> Sequence[str]:
        return [path for path in paths if path == below or path.startswith(f"{below}/")]

    def read(path: str) -> bytes | None:
        if path not in contents:
            data = source.read(path)
            if isinstance(data, Problem):
                raise JudgeError(f"{path} declares the schema and {data.message}")
            contents[path] = data
        return contents[path]

    declaring = source_files(list_files, pack.schema.shapes)
    blobs = [blob_id(read(path) or b"") for path in declaring]
    key = f"schema {pack.fingerprint} {__version__} {' '.join(blobs)}"
    known = cache.get_result(key)
    if known is not None:
        try:
            name, _, text = known.partition("\n")
            return decode(text, name)
        except JudgeError:
            pass
    schema = schema_for(read, list_files, pack.schema, Path(pack.folder))
    cache.put_result(key, f"{schema.source}\n{encode(schema)}")
    return schema
