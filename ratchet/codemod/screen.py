"""What keeps a site where it is, as far as its access, the pack and the schema tell."""

from __future__ import annotations

import re

from ratchet.codemod.model import Reason, Refusal
from ratchet.codemod.sites import PlanSite, Selection
from ratchet.codemod.spelling import Speller
from ratchet.matching.boundaries import boundaries_of
from ratchet.model import COMPUTED, Access, Exemption, Pack, Schema, TrackedObject


class Screen:
    """Refuses what the pack's declarations and the access itself rule out."""

    def __init__(self, pack: Pack, schema: Schema, engine: str | None, selection: Selection) -> None:
        self._schema = schema
        self._speller = Speller(pack, engine)
        self._selection = selection
        self._objects = {item.id: item for item in pack.objects}
        self._boundaries = boundaries_of(pack.boundaries, engine)

    def refuse(self, site: PlanSite) -> Refusal | None:
        """Why a site stays, None where nothing speaks against it so far."""
        return (
            self._member(site.access)
            or self._boundary(site)
            or self._live(site.access)
            or self._origin(site.access)
            or self._form(site.access)
        )

    def _member(self, access: Access) -> Refusal | None:
        field = access.field
        if field == COMPUTED or field is None:
            return Refusal("computed-name", f"the field's name is computed: {access.code}")
        if field not in self._schema.fields:
            return Refusal("not-a-field", f"{field} is no field of the schema ({self._schema.source})")
        if access.namespace is None:
            return Refusal("no-namespace", f"the schema gives {field} no namespace, so nothing publishes it")
        if self._speller.read(access.namespace, field) is None:
            return Refusal("no-namespace", f"the pack has no accessor for the namespace {access.namespace}")
        if access.operation == "write" and self._speller.callee() is None:
            return Refusal("no-namespace", "the pack has no context whose override publishes values")
        return None

    def _boundary(self, site: PlanSite) -> Refusal | None:
        for boundary in self._boundaries:
            if boundary.holds(site.path, site.access.scope, site.access.field):
                return Refusal(_reason_of(boundary.entry), boundary.entry.reason)
        return None

    def is_separate(self, site: PlanSite) -> bool:
        """Whether a site lies where records are others than the process's."""
        access = site.access
        return any(
            boundary.entry.separate and boundary.holds(site.path, access.scope, access.field)
            for boundary in self._boundaries
        )

    def _live(self, access: Access) -> Refusal | None:
        if not self._speller.live(access.namespace, access.field):
            return None
        return Refusal(
            "live-shadowed", f"on the namespace {access.namespace}, {access.field} is a live value of its own"
        )

    def _origin(self, access: Access) -> Refusal | None:
        if access.origin == "copy":
            return Refusal("fork", f"{access.code} is of a copy, whose values are its own")
        if access.origin == "constructed":
            return Refusal(
                "unpublished-process", "the record is made here, before any process has published it"
            )
        if access.origin == "mixed" and access.root == "accessor":
            return Refusal(
                "optional-injection", "the record is the one that was handed in, or else the process's"
            )
        if access.origin == "mixed" or _is_unknown(access):
            return Refusal("mixed-origin", "the record may be one or another, and nothing tells which")
        return None

    def _form(self, access: Access) -> Refusal | None:
        """What moves on request only. A write goes by what its field's readers do, not by its own form."""
        if access.origin == "global":
            return None
        if access.root == "self" and _parked_elsewhere(access, self._objects[access.object]):
            return Refusal("parked-under-other-name", f"the record is kept under another name: {access.code}")
        if access.operation == "write":
            return None
        if access.root == "parameter" and not self._selection.parameters:
            return Refusal("handed-parameter", "the function is handed the record; --parameters moves it")
        return None


def _reason_of(entry: Exemption) -> Reason:
    if entry.unpublished:
        return "unpublished-process"
    return "fork" if entry.fields else "boundary"


def _is_unknown(access: Access) -> bool:
    """Whether nothing but a local variable's name says that this is the record."""
    return access.origin == "supplied" and access.root == "alias"


_SELF = re.compile(r"\b(?:self|cls)\.(\w+)")


def _parked_elsewhere(access: Access, item: TrackedObject) -> bool:
    """Whether the record is read off an attribute that is not called as the pack calls it, patterns aside."""
    found = _SELF.search(access.code) if access.form == "self" else None
    return found is not None and found[1] not in item.attributes
