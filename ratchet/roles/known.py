"""What roles may not read, for rules: made of a whole tree, and remembered for its parts."""

from __future__ import annotations

from ratchet.cache import Cache
from ratchet.errors import JudgeError
from ratchet.judge import deep_and_undisturbed
from ratchet.model import Publishing
from ratchet.reach import Narrow, Program, Values, find_entries
from ratchet.roles.declared import declared_sets
from ratchet.roles.report import program_of
from ratchet.roles.restricted import NONE, Part, Restricted, Restrictions, Scope, remember
from ratchet.roles.walks import Walks
from ratchet.tree import Tree


def restrictions_of(tree: Tree, cache: Cache, fingerprint: str) -> Restrictions:
    """The restricted roles of a whole tree, remembered for its parts."""
    result = restricted_roles(tree)
    remember(result, tree, cache, fingerprint)
    return result


def restricted_roles(tree: Tree) -> Restrictions:
    """The roles of a tree that may not read everything, with what their code reaches."""
    with deep_and_undisturbed():  # until the program is gone: a collector would look at all of it first
        return follow_roles(tree)[0]


def follow_roles(tree: Tree, program: Program | None = None) -> tuple[Restrictions, Program | None]:
    """The same, and the program that tells on which files it depends: None where it depends on none.

    `program` is that of the tree, where it is known.
    """
    publishing = tree.pack.publishing
    if publishing is None:
        return NONE, None
    program = program or program_of(tree, publishing)
    with deep_and_undisturbed():
        return _restricted(program, publishing), program


def _restricted(program: Program, publishing: Publishing) -> Restrictions:
    values = Values(program)
    try:
        declared = declared_sets(program, publishing)
    except JudgeError as error:
        # A tree without publishing calls has no roles to declare.
        return (
            Restrictions((), (str(error),)) if find_entries(program, values, publishing).publishes else NONE
        )
    sets = declared.sets if declared else {}
    restricted = {role: allowed for role, allowed in sets.items() if allowed is not None}
    bounds = Narrow(program, values, publishing, sets.keys() - restricted.keys())
    walks = Walks(program, values, bounds)
    roles = {item.role for item in bounds.publishes}
    found, faults = [], []
    for role, allowed in sorted(restricted.items()):
        if role in roles:
            code = walks.code(role)
            scopes = frozenset(node for node, step in code.found.steps.items() if step.sure)
            parts: dict[Scope, Part] = {root.node: Part(root.after, root.skipped) for root in code.frames}
            found.append(Restricted(role, allowed, frozenset(scopes), parts))
        else:
            faults.append(
                f"the table of roles restricts {role}, and no call was found that publishes under it, "
                "so that nothing is checked: correct [publishing] in the pack, or remove the entry"
            )
    if declared:
        faults += [
            f"{item.node.path}:{item.line} publishes under {item.role}, for which the table of roles "
            f"in {declared.path} has no entry: add one, all or a set"
            for item in bounds.publishes
            if item.role is not None and item.role not in sets
        ]
    if restricted:
        faults += [
            f"{item.path}:{item.line} is needed to judge roles and {item.message}"
            for item in program.problems()
        ]
    return Restrictions(tuple(found), tuple(faults))
