"""Codemods: every site ends as an edit or as a skip with its reason, and every rewritten file is proved."""
