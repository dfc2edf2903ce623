"""The log: appending, reading, following and decoding events."""
