"""The commands, one module each: they parse, call, print and exit."""
