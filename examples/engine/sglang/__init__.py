"""A pocket-sized engine with the import paths of the real one, for trying ratchet out."""
