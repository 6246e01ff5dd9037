"""Where a call runs an element of a table, of which it counts as running any."""

from __future__ import annotations

from ratchet.reach.forms import CONTAINER, INSTANCE, LITERAL, TEXT
from ratchet.reach.program import Program
from ratchet.reach.values import Node, Values, split_chain


class Tables:
    """Tells which calls of a program pick what they run out of a table, each once."""

    def __init__(self, program: Program, values: Values) -> None:
        self._program = program
        self._values = values
        self._known: dict[tuple[Node, str], bool] = {}

    def picked(self, node: Node, line: int) -> bool:
        """Whether a call on a line of a scope runs something that was picked out of a table."""
        uses = self._program.scope(*node).uses
        return any(
            self._is_picked(node, use.chain) for use in uses if use.called and line in (use.line, use.last)
        )

    def _is_picked(self, node: Node, form: str) -> bool:
        key = (node, form)
        if key not in self._known:
            self._known[key] = False  # what leads back to itself adds nothing
            self._known[key] = self._looked_at(node, form)
        return self._known[key]

    def _looked_at(self, node: Node, form: str) -> bool:
        if form[0] in CONTAINER + INSTANCE:
            return self._is_picked(node, form[1:])
        if form[0] in TEXT + LITERAL:
            return False
        root, steps = split_chain(form)
        if self._is_bound_to_one(node, root):
            return True
        for number, step in enumerate(steps):
            values = self._values.of(*node, root + "".join(steps[:number])).values
            if not step.startswith("."):
                if sum(value.kind == "many" for value in values) > 1:
                    return True
                functions = [value.node for value in values if value.kind == "function"]
                if step == "()" and any(self._returns_one(function) for function in functions):
                    return True
        return False

    def _is_bound_to_one(self, node: Node, name: str) -> bool:
        """Whether a name stands for an element of a table, in the scope that binds it."""
        for scope, facts in self._values.scopes_around(*node):
            if name in facts.names:
                return any(self._is_picked(Node(node.path, scope), form) for form in facts.names[name])
        return False

    def _returns_one(self, function: Node) -> bool:
        return any(self._is_picked(function, form) for form in self._program.scope(*function).returns)
