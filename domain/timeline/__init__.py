"""The order of events at a table, worked out from sequence numbers and clocks."""
