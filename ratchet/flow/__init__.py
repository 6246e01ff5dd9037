"""The two ends of each field across a whole tree: who writes it, who reads it, and where they part."""
