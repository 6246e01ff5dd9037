"""Constrained output."""
