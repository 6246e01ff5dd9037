"""What a newer engine breaks in code that uses it: found, and rewritten where that can be proved."""
