"""Drawing of a table in text, shared by show, replay and deal."""
