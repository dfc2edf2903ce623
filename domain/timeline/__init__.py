"""The order of events at a table, derived from sequence numbers and clocks."""
