"""Sites out of accesses, and the matchers that need one file only."""
