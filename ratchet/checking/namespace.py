"""The record accesses that a namespace is to take over: `ratchet count --namespace`."""

from __future__ import annotations

from collections.abc import Collection

from ratchet.checking.check import Checked, count_rules
from ratchet.errors import UsageError
from ratchet.frozen import replace
from ratchet.model import AccessMatch, Pack, Rule, Schema
from ratchet.pack.rules import digest, plain
from ratchet.pack.table import nearest
from ratchet.session import Session

_MATCH = AccessMatch(
    operations=("read", "write", "mutate", "delete", "call"),
    origins=("global", "supplied", "mixed", "constructed", "copy"),
)


def count_namespace(session: Session, namespace: str) -> Checked:
    """The accesses to fields whose namespace is this one or below it, through a record and not the namespace.

    What lies in a boundary of the pack that is marked `outside` makes the values, and is left out. Raises
    UsageError for a namespace that neither pack nor schema has.
    """
    refuse_unknown(namespace, session.pack, session.schema())
    rule = _rule(namespace, session.pack)
    return count_rules(session, (*session.rules, rule), [rule])


def _rule(namespace: str, pack: Pack) -> Rule:
    outside = tuple(entry for entry in pack.boundaries if entry.outside)
    return Rule(
        id=f"namespace:{namespace}",
        kind="access",
        match=replace(_MATCH, namespaces=(namespace,)),
        mode="warn",
        title=f"record accesses of fields of {namespace}",
        why=f"The fields of {namespace} are published as a namespace.",
        instead=f"Use the namespace {namespace}.",
        fingerprint=digest([namespace, plain(outside)]),
        exempt=outside,
    )


def refuse_unknown(namespace: str, pack: Pack, schema: Schema) -> None:
    """Raise UsageError for a namespace that neither the pack nor the schema has."""
    known = {item.path for item in pack.namespaces}
    known |= {f"{item.path}.{group}" for item in pack.namespaces for group in item.groups}
    known |= {field.namespace for field in schema.fields.values() if field.namespace}
    if namespace not in known and not _is_above(namespace, known):
        listed = ", ".join(sorted(known)) or "none"
        raise UsageError(f"there is no namespace {namespace}{nearest(namespace, known)}; there are {listed}")


def _is_above(namespace: str, known: Collection[str]) -> bool:
    return any(path.startswith(f"{namespace}.") for path in known)
