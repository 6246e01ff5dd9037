"""Running the model."""
