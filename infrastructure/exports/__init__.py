"""Ways out: what leaves the log for other machines."""
