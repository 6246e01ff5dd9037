"""Helpers for tests of code that reads the published configuration."""
