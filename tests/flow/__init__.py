"""Where writers and readers of a field part: the bugs that the migration met, before and after."""
