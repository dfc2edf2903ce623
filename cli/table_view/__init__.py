"""Drawing of a table as text, shared by show, replay and deal."""
