"""What a file's own names stand for, for the files that import them."""

from __future__ import annotations

from ratchet.analysis.facts import Exports
from ratchet.analysis.state import State
from ratchet.analysis.values import Bag, Class, Context, Function, Getter, Plain, Record, Value, View

_TRACKED = (Record, Bag, Context, Getter, View)


def exports_of(state: State) -> Exports:
    """The tracked part of what a file binds at module level, parks on its classes and returns."""
    names: dict[str, Value] = {}
    module = next(scope for scope in state.scopes.values() if scope.parent is None)
    for name, value in module.ever.items():
        _add(state, names, f"{state.module}.{name}", value)
    for class_name, info in state.classes.items():
        for attribute, value in info.attributes.items():
            if state.tracked.conventional_attribute(attribute) is None or not _is_supplied(value):
                _add(state, names, f"{class_name}.{attribute}", value)
        for name in info.properties:
            _add(state, names, f"{class_name}.{name}", state.result_of(f"{class_name}.{name}"))
    properties = {f"{name}.{item}" for name, info in state.classes.items() for item in info.properties}
    returns: dict[str, Value] = {}
    for function in {**state.returns, **state.promised}:
        if "<" not in function and function not in properties:
            _add(state, returns, function, state.result_of(function))
    bases = _bases(state, names, returns)
    for name, value in module.ever.items():
        _pass_on(state, f"{state.module}.{name}", value, returns, bases)
    return Exports(names, returns, bases)


def _pass_on(
    state: State,
    name: str,
    value: Value,
    returns: dict[str, Value],
    bases: dict[str, tuple[str, ...]],
) -> None:
    """A function or class of another file under the name that this file gives it."""
    for atom in value:
        if isinstance(atom, Function) and atom.name != name and atom.name in state.outside.returns:
            returns[name] = state.outside.returns[atom.name]
        elif isinstance(atom, Class) and atom.name != name and atom.name in state.outside.bases:
            bases[name] = (atom.name,)


def _add(state: State, table: dict[str, Value], name: str, value: Value) -> None:
    """Add what is tracked; what the pack itself names (the record's class, an accessor) is known anywhere."""
    getters = state.tracked.getters
    if name.endswith("__"):
        return  # nobody names a special method; what calls it is not followed
    if name in getters or name.rpartition(".")[0] in getters:
        return
    if any(isinstance(atom, _TRACKED) for atom in value):
        kept = (*_TRACKED, Plain)
        table[name] = frozenset(atom for atom in value if isinstance(atom, kept))


def _is_supplied(value: Value) -> bool:
    records = [atom for atom in value if isinstance(atom, Record)]
    return bool(records) and all(record.origin == "supplied" for record in records)


def _bases(state: State, names: dict[str, Value], returns: dict[str, Value]) -> dict[str, tuple[str, ...]]:
    """The classes that hold something tracked, or that derive from one that may."""
    holding = {name.rpartition(".")[0] for name in (*names, *returns)}
    return {
        class_name: info.bases
        for class_name, info in state.classes.items()
        if class_name in holding
        or any(base in state.outside.bases or base in state.classes for base in info.bases)
    }
