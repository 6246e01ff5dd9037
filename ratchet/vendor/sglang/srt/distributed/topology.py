"""The topology of a distributed job: groups of ranks, as they are once it has started."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Group:
    """A group of ranks as this process sees it: how many they are, which one it is, and the means to talk."""

    size: int
    rank: int = 0
    handle: object = None


@dataclass(frozen=True, slots=True)
class Topology:
    """Each group this process belongs to; None where the job starts no such group."""

    world: Group | None = None
    tp: Group | None = None
    pp: Group | None = None
    moe_ep: Group | None = None
    moe_dp: Group | None = None
    moe_tp: Group | None = None
    attn_tp: Group | None = None
    attn_cp: Group | None = None
    attn_dp: Group | None = None
    attn_dcp: Group | None = None
    dcp: Group | None = None
