"""The table of a whole tree: made of a scan, remembered, and brought up to date for a part of the tree."""

from __future__ import annotations

from collections.abc import Callable

from ratchet.cache import Cache
from ratchet.flow.table import Flows, decode_accesses
from ratchet.model import Access
from ratchet.scan import Scan
from ratchet.tree import Tree


def flows_of_whole(tree: Tree, scan: Scan, cache: Cache, fingerprint: str) -> Flows:
    """The table of a tree that was scanned as a whole, remembered for its parts."""
    flows = flows_of_scan(tree, scan)
    key, text = flows_key(tree, fingerprint), flows.encode()
    if cache.get_result(key) != text:
        cache.put_result(key, text)
    return flows


def flows_of_part(
    tree: Tree, scan: Scan, cache: Cache, fingerprint: str, scan_whole: Callable[[], Scan]
) -> Flows:
    """The table of a tree of which a part was scanned: the rest is as the last whole run left it.

    Of the rest it holds what the part's fields need: no rule judges a field by the ends of another.

    `scan_whole` serves where no whole run is remembered.
    """
    touched = {access.field for found in scan.facts.values() for access in found.accesses}

    def matters(name: str) -> bool:
        """What is no field may be a method, or computed: those say who reads what."""
        return name in touched or name not in tree.schema.fields

    known = _decoded(cache.get_result(flows_key(tree, fingerprint)), matters)
    if known is None:
        known = _accesses(scan_whole())
    others = {path: found for path, found in known.items() if path not in scan.facts}
    return Flows({**others, **_accesses(scan)}, tree.pack, tree.schema, tree.engine)


def flows_of_scan(tree: Tree, scan: Scan) -> Flows:
    """The table of a tree that was scanned as a whole."""
    return Flows(_accesses(scan), tree.pack, tree.schema, tree.engine)


def _accesses(scan: Scan) -> dict[str, tuple[Access, ...]]:
    return {path: facts.accesses for path, facts in scan.facts.items() if facts.accesses}


def flows_key(tree: Tree, fingerprint: str) -> str:
    """The name of a tree's table in the cache."""
    # Flow rules carry the boundaries and phases of their pack, by which the table is made.
    asking = sorted(rule.fingerprint for rule in tree.rules if rule.kind == "flow")
    return f"flow {fingerprint} {tree.root} {' '.join(asking)}"


def _decoded(text: str | None, wanted: Callable[[str], bool]) -> dict[str, tuple[Access, ...]] | None:
    if text is None:
        return None
    try:
        return decode_accesses(text, wanted)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
