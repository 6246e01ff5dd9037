"""Typed stubs of the target library, generated from a tree's schema and the pack's templates."""

from __future__ import annotations

from ratchet.stubs.generation import TEMPLATES, Stubs, generate_stubs, read_templates, write_stubs

__all__ = ["TEMPLATES", "Stubs", "generate_stubs", "read_templates", "write_stubs"]
