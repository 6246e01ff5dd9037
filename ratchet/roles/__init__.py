"""What the code of each publishing role can read, against what is declared and what was observed."""
