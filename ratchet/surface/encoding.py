"""The surfaces of several releases in one text: what is there, and in which of them.

A header names the format, the packages that were read, and the engine versions, oldest first. A line that
begins with a module's name says in which versions the module is there; the lines below it, each after a tab,
say of what kind some names are, in which versions, and the names. `*` stands for all versions, `a-b` for
those from one to another. A module's name that begins with a dot lies in the first of the packages, which is
itself a lone dot. `@fields` is no module: its lines hold the record's fields, by their namespace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ratchet.errors import JudgeError
from ratchet.surface.model import Module, Release

_FORMAT = "# ratchet surface 2"
_TOPS = "# packages "
_ENGINES = "# engines "
_FIELDS = "@fields"
_KINDS = ("def", "via", "raise", "text", "sign", "open")
_Mask = int
_Row = tuple[str, _Mask, str]


def encode(releases: Sequence[Release]) -> str:
    """The releases as text; `decode` gives them back. They must be of the same packages."""
    engines = [release.engine for release in releases]
    lines = [_FORMAT, _TOPS + " ".join(releases[0].tops), _ENGINES + " ".join(engines)]
    lines += _encoded(_FIELDS, (1 << len(releases)) - 1, _field_rows(releases), engines)
    for name in sorted({name for release in releases for name in release.modules}):
        modules = [release.modules.get(name) for release in releases]
        mask = sum(1 << number for number, module in enumerate(modules) if module is not None)
        lines += _encoded(_shortened(name, releases[0].tops), mask, _module_rows(modules), engines)
    return "\n".join(lines) + "\n"


def decode(text: str, source: str) -> tuple[Release, ...]:
    """The releases that `encode` wrote. Raises JudgeError naming `source` and the line it cannot read."""
    lines = text.split("\n")
    head = lines[:3]
    if (
        len(head) < 3
        or head[0] != _FORMAT
        or not head[1].startswith(_TOPS)
        or not head[2].startswith(_ENGINES)
    ):
        raise JudgeError(
            f"{source}: the first lines are no {_FORMAT!r}; write it with `ratchet surface record`"
        )
    tops, engines = tuple(head[1][len(_TOPS) :].split()), head[2][len(_ENGINES) :].split()
    building: list[dict[str, dict[str, object]]] = [{} for _ in engines]
    fields: list[dict[str, str]] = [{} for _ in engines]
    masks: dict[str, list[int]] = {}
    current = ""
    for number, line in enumerate(lines[3:], 4):
        try:
            if line.startswith("\t"):
                _, kind, span, names = line.split("\t")
                for at in _chosen(span, engines, masks):
                    if current == _FIELDS:
                        fields[at].update(dict.fromkeys(names.split(), kind))
                    else:
                        _add(building[at][current], kind, names)
            elif line:
                short, span = line.split("\t")
                current = tops[0] + short.rstrip(".") if short.startswith(".") else short
                for at in _chosen(span, engines, masks):
                    if current != _FIELDS:
                        building[at][current] = {}
        except (ValueError, KeyError):
            raise JudgeError(
                f"{source}: line {number} cannot be read; write the file with `ratchet surface record`"
            ) from None
    return tuple(
        Release(engine, tops, {name: _module(parts) for name, parts in modules.items()}, held)
        for engine, modules, held in zip(engines, building, fields, strict=True)
    )


def load_history(path: Path) -> tuple[Release, ...]:
    """The releases that a file holds, oldest first. Raises JudgeError where it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        raise JudgeError(f"{path} cannot be read; write it with `ratchet surface record`") from None
    return decode(text, str(path))


def with_release(releases: Iterable[Release], added: Release) -> tuple[Release, ...]:
    """The releases with one added, or put in the place of that of its version; ordered by version."""
    found = {release.engine: release for release in releases}
    found[added.engine] = added
    return tuple(found[engine] for engine in sorted(found, key=version_key))


def version_key(version: str) -> list[tuple[int, str]]:
    """What sorts versions: numbers by value."""
    return [(len(part), part) for part in version.split(".")]


# Rows


def _field_rows(releases: Sequence[Release]) -> Iterator[_Row]:
    tables: Mapping[str, list[frozenset[str]]] = {
        space: [frozenset(name for name, held in one.fields.items() if held == space) for one in releases]
        for space in sorted({held for one in releases for held in one.fields.values()})
    }
    for space, names in tables.items():
        yield from _grouped(space, names)


def _shortened(module: str, tops: Sequence[str]) -> str:
    """A module's name without the first package, which stands for itself as a dot."""
    if module == tops[0]:
        return "."
    return module[len(tops[0]) :] if module.startswith(f"{tops[0]}.") else module


def _module_rows(modules: Sequence[Module | None]) -> Iterator[_Row]:
    there = [module or Module() for module in modules]
    yield from _grouped("def", [module.defined for module in there])
    known = {name for module in there for name in (*module.defined, *module.passed)}
    yield from _grouped("via", [module.passed | (module.private & known) for module in there])
    yield from _grouped("raise", [module.refusing for module in there])
    yield from _grouped("text", [module.texts for module in there])
    signs = [
        frozenset(f"{name} {sign}".rstrip() for name, sign in module.signatures.items()) for module in there
    ]
    for name, mask in sorted(_masks(signs).items()):
        yield "sign", mask, name
    is_open = sum(1 << number for number, module in enumerate(there) if module.open)
    if is_open:
        yield "open", is_open, ""


def _grouped(kind: str, names: Sequence[frozenset[str]]) -> Iterator[_Row]:
    """One row for all names that are there in the same releases."""
    groups: dict[int, list[str]] = {}
    for name, mask in _masks(names).items():
        groups.setdefault(mask, []).append(name)
    for mask, listed in sorted(groups.items()):
        yield kind, mask, " ".join(sorted(listed))


def _masks(names: Sequence[frozenset[str]]) -> dict[str, _Mask]:
    masks: dict[str, int] = {}
    for number, one in enumerate(names):
        for name in one:
            masks[name] = masks.get(name, 0) | 1 << number
    return masks


def _encoded(name: str, mask: _Mask, rows: Iterable[_Row], engines: Sequence[str]) -> Iterator[str]:
    yield f"{name}\t{_span(mask, engines)}"
    for kind, there, names in rows:
        yield f"\t{kind}\t{_span(there, engines)}\t{names}"


def _span(mask: _Mask, engines: Sequence[str]) -> str:
    if mask == (1 << len(engines)) - 1:
        return "*"
    parts: list[list[str]] = []
    for number, engine in enumerate(engines):
        if mask >> number & 1:
            if number and mask >> (number - 1) & 1:
                parts[-1][1:] = [engine]
            else:
                parts.append([engine])
    return ",".join("-".join(part) for part in parts)


def _chosen(span: str, engines: Sequence[str], known: dict[str, list[int]]) -> list[int]:
    """The numbers of the releases in a span."""
    if span not in known:
        found: list[int] = list(range(len(engines))) if span == "*" else []
        for part in span.split(",") if span != "*" else ():
            first, _, last = part.partition("-")
            found += range(engines.index(first), engines.index(last or first) + 1)
        known[span] = found
    return known[span]


def _add(parts: dict[str, object], kind: str, names: str) -> None:
    if kind not in _KINDS:
        raise ValueError(kind)
    if kind == "sign":
        name, _, sign = names.partition(" ")
        held = parts.setdefault("sign", {})
        assert isinstance(held, dict)
        held[name] = sign
    elif kind == "open":
        parts["open"] = True
    else:
        known = parts.setdefault(kind, [])
        assert isinstance(known, list)
        known += names.split(" ")


def _module(parts: Mapping[str, object]) -> Module:
    def names(kind: str) -> frozenset[str]:
        found = parts.get(kind, ())
        assert isinstance(found, list | tuple)
        return frozenset(found)

    signs = parts.get("sign", {})
    assert isinstance(signs, dict)
    return Module(names("def"), names("via"), names("raise"), names("text"), signs, "open" in parts)
