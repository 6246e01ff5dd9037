"""What the verbs do once their arguments are read: values in, values out; nothing is printed here."""
