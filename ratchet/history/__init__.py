"""How far a migration is: the story of its rules in git, and what is left to do."""
