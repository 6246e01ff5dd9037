"""Where Python files come from: a work tree, a commit, git's index, or one of these with changes on top."""
