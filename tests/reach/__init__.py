"""Tests of entry points and reachability."""
