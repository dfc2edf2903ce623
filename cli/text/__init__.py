"""Events and amounts as text."""
