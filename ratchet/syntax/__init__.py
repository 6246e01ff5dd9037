"""The syntax trees of files, and where in them an expression stands."""
