"""Rule packs: folders of TOML files, read into one frozen Pack."""

from __future__ import annotations

from ratchet.pack.load import Memo, load_packs, shipped_packs

__all__ = ["Memo", "load_packs", "shipped_packs"]
