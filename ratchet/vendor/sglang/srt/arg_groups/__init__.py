"""The vocabulary and the resolution of `ServerArgs`."""
