"""The managers that serve requests and control an engine."""
