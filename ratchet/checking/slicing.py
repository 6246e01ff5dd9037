"""A plan cut into slices, each of which is a change of its own: how, and the commit that holds one."""

from __future__ import annotations

from collections.abc import Iterable

from ratchet.checking.owning import owners_of
from ratchet.checking.preparing import Prepared
from ratchet.codemod.batches import Batch, BatchBy, cut
from ratchet.codemod.model import Edit
from ratchet.codemod.prediction import Change as Count
from ratchet.frozen import dataclass
from ratchet.session import Session
from ratchet.wording import plural


@dataclass(frozen=True, slots=True)
class Slicing:
    """How a plan is cut: by which key, and how much a slice may hold at most; None for no limit."""

    by: BatchBy | None = None
    max_sites: int | None = None
    max_files: int | None = None

    @property
    def asked(self) -> bool:
        """Whether there is anything to cut by."""
        return (self.by, self.max_sites, self.max_files) != (None, None, None)


def slices_of(session: Session, edits: Iterable[Edit], slicing: Slicing) -> tuple[Batch, ...]:
    """The slices of some edits, in order. Raises UsageError as `cut` does."""
    owner_of = owners_of(session) if slicing.by == "owner" else _nobody
    return cut(edits, slicing.by, owner_of, slicing.max_sites, slicing.max_files)


def _nobody(path: str) -> str:
    return ""


def message_of(batch: Batch | None, prepared: Prepared, counts: Iterable[Count]) -> str:
    """The message of a slice's commit: what moved where to, and the ratchet's lines."""
    edits = prepared.edits
    namespaces = sorted({edit.namespace for edit in edits})
    shown = ", ".join(namespaces[:3]) + (" and others" if len(namespaces) > 3 else "")
    where = f" ({batch.key})" if batch is not None and batch.key and batch.key not in namespaces else ""
    sites, files = len(edits), len(prepared.files)
    head = f"Move {plural(sites, 'site')} to {shown}{where}"
    lines = [f"- {count.rule} {count.before} → {count.after}" for count in counts]
    body = f"Rewritten by `ratchet migrate` in {plural(files, 'file')}."
    return "\n".join([head, "", body, "", *lines, ""])
