"""Tests of the vendored runtime library."""
