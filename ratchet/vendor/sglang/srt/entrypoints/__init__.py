"""What an engine answers about itself."""
