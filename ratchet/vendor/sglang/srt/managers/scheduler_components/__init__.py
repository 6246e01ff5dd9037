"""Parts of the scheduler."""
