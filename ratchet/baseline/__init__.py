"""Baselines: the committed rows of each rule, how they are read and written, changed and merged."""
