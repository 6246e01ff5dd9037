"""Linear attention layers."""
