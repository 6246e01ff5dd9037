"""Parts of the model runner."""
