"""Speculative decoding: the draft's configuration, algorithms and workers."""
