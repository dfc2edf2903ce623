"""Text for events and amounts."""
