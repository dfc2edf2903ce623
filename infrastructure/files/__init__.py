"""The one way to open a file that a user named, and the one way to write one."""
