"""What a file's own names stand for, for the files that import them."""

from __future__ import annotations

from ratchet.analysis.facts import Exports
from ratchet.analysis.state import State
from ratchet.analysis.values import Bag, Context, Getter, Plain, Record, Value, View

_TRACKED = (Record, Bag, Context, Getter, View)


def exports_of(state: State) -> Exports:
    """The tracked part of what a file binds at module level, parks on its classes and returns."""
    names: dict[str, Value] = {}
    module = next(scope for scope in state.scopes.values() if scope.parent is None)
    for name, value in module.ever.items():
        _add(names, f"{state.module}.{name}", value)
    for class_name, info in state.classes.items():
        for attribute, value in info.attributes.items():
            if state.tracked.conventional_attribute(attribute) is None or not _is_supplied(value):
                _add(names, f"{class_name}.{attribute}", value)
        for name in info.properties:
            _add(names, f"{class_name}.{name}", state.returns.get(f"{class_name}.{name}", frozenset()))
    properties = {f"{name}.{item}" for name, info in state.classes.items() for item in info.properties}
    returns: dict[str, Value] = {}
    for function, value in state.returns.items():
        if "<" not in function and function not in properties:
            _add(returns, function, value)
    return Exports(names, returns, _bases(state, names, returns))


def _add(table: dict[str, Value], name: str, value: Value) -> None:
    if any(isinstance(atom, _TRACKED) for atom in value):
        kept = (*_TRACKED, Plain)
        table[name] = frozenset(atom for atom in value if isinstance(atom, kept))


def _is_supplied(value: Value) -> bool:
    records = [atom for atom in value if isinstance(atom, Record)]
    return bool(records) and all(record.origin == "supplied" for record in records)


def _bases(state: State, names: dict[str, Value], returns: dict[str, Value]) -> dict[str, tuple[str, ...]]:
    """The classes that hold something tracked, or that derive from one of another file that does."""
    holding = {name.rpartition(".")[0] for name in (*names, *returns)}
    bases: dict[str, tuple[str, ...]] = {}
    for class_name, info in state.classes.items():
        inherits = any(base in state.outside.bases or base in state.classes for base in info.bases)
        if class_name in holding or inherits or info.record is not None:
            bases[class_name] = info.bases
    return bases
