"""Dicts whose keys may become fields: each keeps the keys that it is ever given, by whatever name."""

from __future__ import annotations

from collections.abc import Iterable

from ratchet.analysis.values import Dict, Keys, Plain, Value, only, pick

Place = tuple[int, int]


class Dicts:
    """The dicts of one file, by the place where each is made.

    What other code adds to a dict further down was seen by the pass before. `expanded` are the dicts whose
    keys were asked for, so that their other names are of interest too.
    """

    def __init__(self) -> None:
        self.expanded: set[Place] = set()
        self._now: dict[Place, Keys] = {}
        self._before: dict[Place, Keys] = {}
        self._told: dict[Place, Keys] = {}
        self._newly_expanded = False

    def next_pass(self) -> bool:
        """Begin another pass; whether the last one told keys that turned out otherwise."""
        again = self._newly_expanded or any(
            self._now.get(place) != keys for place, keys in self._told.items()
        )
        self._before, self._now = self._now, {}
        self._told.clear()
        self._newly_expanded = False
        return again

    def make(self, place: Place, names: Iterable[str], is_open: bool) -> Value:
        """The dict that is made at a place of the text, with its first keys."""
        made = only(Dict(place))
        self._now.setdefault(place, Keys((), False))
        self.add(made, names, is_open)
        return made

    def add(self, value: Value, names: Iterable[str], is_open: bool) -> None:
        """Add keys to the dicts of a value; `is_open` says that there may be others."""
        for made in pick(value, Dict):
            known = self._now.get(made.place, Keys((), False))
            names = tuple(dict.fromkeys((*known.names, *names)))
            self._now[made.place] = Keys(names, known.open or is_open)

    def keys_of(self, value: Value) -> tuple[list[str], bool]:
        """The keys that a value may have, in the order in which they are written, and whether others too."""
        names: list[str] = []
        is_open = not value
        for atom in sorted(value, key=repr):
            if isinstance(atom, Dict):
                keys = self._tell(atom.place)
                names += keys.names
                is_open = is_open or keys.open
            elif atom is not Plain.NONE:
                is_open = True
        return list(dict.fromkeys(names)), is_open

    def _tell(self, place: Place) -> Keys:
        if place not in self.expanded:
            self.expanded.add(place)
            self._newly_expanded = True
        known = [table[place] for table in (self._now, self._before) if place in table]
        names = tuple(dict.fromkeys(name for keys in known for name in keys.names))
        told = self._told[place] = Keys(names, any(keys.open for keys in known))
        return told
