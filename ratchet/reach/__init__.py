"""Which code runs in which process: entry points, and what can be reached from them over imports and calls.

    program = Program(source, package, keywords_of(publishing), outside)
    values = Values(program)
    entries = find_entries(program, values, publishing)    # publishing calls, and where processes begin
    frames = frames_of(program, values, publish, Known(entries).begins)  # what runs once it has published
    found = Traversal(program, values, frames.roots).whole()    # every scope, with how it was reached
    found.chain(node)                                      # the way there: scopes, and lines that lead on

Scopes are named as those of accesses are, so that `found.steps.get(Node(path, access.scope))` tells whether
an access can run; `Step.sure` is false where only names suggest it. What cannot be followed is in
`found.unresolved`, and a file that cannot be read in `program.problems()`: neither is ever taken for clean.
"""

from ratchet.reach.callers import callers
from ratchet.reach.entries import (
    Bounds,
    Entries,
    Frames,
    Known,
    Process,
    Publish,
    before_publish,
    find_entries,
    frames_of,
    keywords_of,
)
from ratchet.reach.facts import MAIN
from ratchet.reach.narrow import Narrow
from ratchet.reach.program import Program
from ratchet.reach.tables import Tables
from ratchet.reach.values import Node, Values
from ratchet.reach.walk import How, Reach, Root, Step, Traversal, Unresolved

__all__ = [
    "MAIN",
    "Bounds",
    "Entries",
    "Frames",
    "How",
    "Known",
    "Narrow",
    "Node",
    "Process",
    "Program",
    "Publish",
    "Reach",
    "Root",
    "Step",
    "Tables",
    "Traversal",
    "Unresolved",
    "Values",
    "before_publish",
    "callers",
    "find_entries",
    "frames_of",
    "keywords_of",
]
