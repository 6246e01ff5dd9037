"""From the names or folders of packs to one Pack."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from ratchet.errors import JudgeError, UsageError
from ratchet.frozen import dataclass, replace
from ratchet.model import (
    AccessMatch,
    AnyMatch,
    Exemption,
    NameMatch,
    Pack,
    Phase,
    Process,
    Rule,
    SurfaceSource,
)
from ratchet.pack.declarations import FORMAT, Declarations, decode_declarations
from ratchet.pack.rules import decode_rule, digest, plain
from ratchet.pack.table import Document, Table, nearest, parse_document
from ratchet.wording import plural

Memo = Callable[[str, Callable[[], str]], str]
"""Given a key and what makes its text, the text: stored under that key, or made and stored.

The store must not outlive the version of ratchet that filled it.
"""

MANIFEST = "pack"
"""The stem of the file that declares a pack; every other TOML file beside it is a rule."""

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class _Folder:
    """A pack's folder: where it lies, how errors name it, and the bytes of its TOML files by stem."""

    path: Path
    shown: str
    files: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class _Loaded:
    """One pack as it was read, before it is merged with the others."""

    folder: _Folder
    declarations: Declarations
    rules: tuple[Rule, ...]


def shipped_packs() -> dict[str, Path]:
    """The packs that come with ratchet by name: in the wheel inside the package, in a checkout beside it."""
    package = Path(__file__).parent.parent
    for root in (package / "rules", package.parent / "rules"):
        found = {path.parent.name: path.parent for path in sorted(root.glob(f"*/{MANIFEST}.toml"))}
        if found:
            return found
    return {}


def load_packs(args: Sequence[str], base: Path, *, analysis: str = "1", memo: Memo | None = None) -> Pack:
    """The packs named in `args`, merged: shipped ones by name, others by a path relative to `base`.

    Without names it is the only one shipped. `analysis` is the version of the analysis, a part of every
    fingerprint. `memo` may keep the parsed text between runs; its key covers every byte of the packs. Raises
    UsageError for a pack that is not there, and JudgeError with every fault of those that are.
    """
    folders = [_read_folder(path, base) for path in _find(args, base)]
    if memo is not None:
        pack = _from_memo(memo, folders, analysis)
        if pack is not None:
            return pack
    return _assemble(folders, _parse(folders), analysis, checked=False)


def _find(args: Sequence[str], base: Path) -> list[Path]:
    shipped = shipped_packs()
    if not args and len(shipped) != 1:
        raise UsageError(
            f"no pack is named: pass --pack with one of {', '.join(shipped) or 'your own folders'}"
        )
    return [_find_one(arg, base, shipped) for arg in args or tuple(shipped)]


def _find_one(arg: str, base: Path, shipped: Mapping[str, Path]) -> Path:
    is_path = os.sep in arg or "/" in arg or arg.startswith(".")
    if arg in shipped and not is_path:
        return shipped[arg]
    folder = base / arg
    # Unlike Path, these answer False to names that the system does not take.
    if os.path.isfile(folder / f"{MANIFEST}.toml"):  # noqa: PTH113
        return folder
    if is_path or os.path.isdir(folder):  # noqa: PTH112
        raise UsageError(f"{arg} holds no {MANIFEST}.toml: name the folder of a pack, or run `ratchet init`")
    hint = nearest(arg, shipped)
    raise UsageError(f"no pack is called {arg}{hint}: shipped are {', '.join(shipped)}, others are paths")


def _read_folder(path: Path, base: Path) -> _Folder:
    try:
        names = sorted(entry.name for entry in path.iterdir() if entry.suffix == ".toml")
        files = {name.removesuffix(".toml"): (path / name).read_bytes() for name in names}
    except OSError as error:
        raise JudgeError(f"{error.filename or path} cannot be read: {error.strerror or error}") from None
    inside = path.is_relative_to(base)
    shown = path.relative_to(base) if inside else path
    return _Folder(path, shown.as_posix(), files)


def _parse(folders: Iterable[_Folder]) -> list[dict[str, Document]]:
    """The documents of each folder by stem; those that are not TOML end as one JudgeError."""
    faults: list[str] = []
    parsed: list[dict[str, Document]] = []
    for folder in folders:
        documents = {
            stem: parse_document(f"{folder.shown}/{stem}.toml", data, faults)
            for stem, data in folder.files.items()
        }
        parsed.append({stem: document for stem, document in documents.items() if document is not None})
    if faults:
        # What else is wrong can be told of the files that are TOML.
        faults += _faults_of(folders, parsed)
        raise JudgeError(_report(faults))
    return parsed


def _faults_of(folders: Iterable[_Folder], parsed: Iterable[Mapping[str, Document]]) -> list[str]:
    faults: list[str] = []
    for folder, documents in zip(folders, parsed, strict=True):
        if MANIFEST in documents:
            _load_one(folder, documents, "", False, faults)
    return faults


def _from_memo(memo: Memo, folders: Sequence[_Folder], analysis: str) -> Pack | None:
    """The pack out of the stored text, or as it was read to make that; None where it is damaged."""
    read: list[Pack] = []

    def compile_text() -> str:
        parsed = _parse(folders)
        read.append(_assemble(folders, parsed, analysis, checked=False))
        plain_data = [{stem: document.data for stem, document in one.items()} for one in parsed]
        return json.dumps(plain_data, default=str)

    text = memo(_key(folders, analysis), compile_text)
    if read:
        return read[0]
    try:
        stored = json.loads(text)
        parsed = [
            {stem: Document(f"{folder.shown}/{stem}.toml", "", data[stem]) for stem in folder.files}
            for folder, data in zip(folders, stored, strict=True)
        ]
    except (ValueError, KeyError, TypeError):
        return None
    return _assemble(folders, parsed, analysis, checked=True)


def _key(folders: Iterable[_Folder], analysis: str) -> str:
    hashed = hashlib.sha256(f"{FORMAT} {analysis}".encode())
    for folder in folders:
        for stem, data in folder.files.items():
            hashed.update(os.fsencode(f"\n{folder.shown} {stem} {len(data)}\n"))
            hashed.update(data)
    return f"pack-{hashed.hexdigest()}"


def _assemble(
    folders: Sequence[_Folder], parsed: Sequence[Mapping[str, Document]], analysis: str, checked: bool
) -> Pack:
    faults: list[str] = []
    loaded = [
        _load_one(folder, documents, analysis, checked, faults)
        for folder, documents in zip(folders, parsed, strict=True)
    ]
    pack = _merge(loaded, analysis, faults)
    if faults:
        raise JudgeError(_report(faults))
    return pack


def _load_one(
    folder: _Folder, documents: Mapping[str, Document], analysis: str, checked: bool, faults: list[str]
) -> _Loaded:
    manifest = documents[MANIFEST]
    declarations = decode_declarations(Table(manifest, faults, manifest.data), checked)
    rules = tuple(
        decode_rule(Table(document, faults, document.data), stem, document.name, analysis, checked)
        for stem, document in documents.items()
        if stem != MANIFEST
    )
    return _Loaded(folder, declarations, rules)


def _merge(loaded: Sequence[_Loaded], analysis: str, faults: list[str]) -> Pack:
    every = [one.declarations for one in loaded]
    rules = sorted((rule for one in loaded for rule in one.rules), key=lambda rule: rule.id)
    objects = tuple(item for one in every for item in one.objects)
    contexts = tuple(item for one in every for item in one.contexts)
    namespaces = tuple(item for one in every for item in one.namespaces)
    _refuse_twins("rule", ((rule.id, rule.file) for rule in rules), faults)
    _refuse_twins("former rule", ((name, rule.file) for rule in rules for name in rule.formerly), faults)
    _refuse_twins("object", ((item.id, one.name) for one in every for item in one.objects), faults)
    _refuse_twins("namespace", ((item.path, one.name) for one in every for item in one.namespaces), faults)
    _refuse_unknown_objects(rules, {item.id for item in objects}, faults)
    packages = tuple(dict.fromkeys(one.package for one in every if one.package))
    if len(packages) != 1:
        says = f"the packs name several: {', '.join(packages)}" if packages else "no pack.toml names one"
        faults.append(f"`package` must be one top package for all packs, and {says}")
    boundaries = tuple(item for one in every for item in one.boundaries)
    phases = tuple(item for one in every for item in one.phases)
    processes = tuple(item for one in every for item in one.processes)
    surface = _only("[surface]", [one.surface for one in every], faults)
    rules = [_with_surface(rule, surface, faults) for rule in rules]
    homes = [one for one in loaded if one.declarations.schema] or list(loaded)
    return Pack(
        name="+".join(one.name for one in every),
        version="+".join(one.version for one in every),
        package=packages[0] if packages else "",
        objects=objects,
        contexts=contexts,
        namespaces=namespaces,
        boundaries=boundaries,
        rules=tuple(_with_places(rule, boundaries, phases, processes) for rule in rules),
        fingerprint=digest([analysis, packages, plain(objects), plain(contexts), plain(namespaces)]),
        folder=str(homes[0].folder.path),
        schema=_only("[schema]", [one.schema for one in every], faults),
        engine=_only("[engine]", [one.engine for one in every], faults),
        phases=phases,
        processes=processes,
        readbacks=tuple(name for one in every for name in one.readbacks),
        publishing=_only("[publishing]", [one.publishing for one in every], faults),
        surface=surface,
    )


def _with_surface(rule: Rule, surface: SurfaceSource | None, faults: list[str]) -> Rule:
    """A rule that takes its replacements from the engine's surface, with those for calls of its names."""
    own, match = rule.own_codemod, rule.match
    if own is None or not own.surface or not isinstance(match, NameMatch):
        return rule
    if surface is None:
        faults.append(f"{rule.file}: `surface` takes what [surface.instead] says, and no pack has it")
        return rule
    names = {*match.names, *(name for _, group in match.versioned for name in group)}
    found = tuple((name, text) for name, text in surface.instead if name in names and "(" in text)
    return replace(rule, own_codemod=replace(own, replace=(*own.replace, *found)))


def _with_places(
    rule: Rule,
    boundaries: tuple[Exemption, ...],
    phases: tuple[Phase, ...],
    processes: tuple[Process, ...],
) -> Rule:
    """A rule whose fingerprint covers what it counts by: a flow rule leaves out what boundaries take in."""
    if rule.kind != "flow":
        return rule
    places = [
        *([entry.paths, entry.scopes, entry.fields, entry.engines, entry.outside] for entry in boundaries),
        *([phase.moment, phase.paths, phase.scopes, phase.engines] for phase in phases),
        *([process.name, process.paths, process.scopes, process.engines] for process in processes),
    ]
    return replace(rule, fingerprint=digest([rule.fingerprint, places]))


def _only(name: str, parts: Iterable[Part | None], faults: list[str]) -> Part | None:
    found = [part for part in parts if part is not None]
    if len(found) > 1:
        faults.append(f"{len(found)} packs have a table {name}: only one of them may")
    return found[0] if found else None


def _refuse_twins(what: str, named: Iterable[tuple[str, str]], faults: list[str]) -> None:
    first: dict[str, str] = {}
    for name, owner in named:
        if name in first:
            faults.append(f"the {what} {name} is in {first[name]} and in {owner}: rename one of them")
        first.setdefault(name, owner)


def _refuse_unknown_objects(rules: Iterable[Rule], known: set[str], faults: list[str]) -> None:
    for rule in rules:
        match = rule.filters or rule.match
        named = match.objects if isinstance(match, AccessMatch | AnyMatch) else ()
        for name in named:
            if name not in known:
                faults.append(f"{rule.file}: no pack has an object `{name}`{nearest(name, known)}")


def _report(faults: Sequence[str]) -> str:
    if len(faults) == 1:
        return f"{faults[0]} (`ratchet pack lint` checks it again)"
    lines = "".join(f"\n  {fault}" for fault in faults)
    return f"the pack has {plural(len(faults), 'fault')}, `ratchet pack lint` checks them again:{lines}"
