"""Loading weights."""
