"""Reports on a period. Each kind is a pure function that makes a typed `Report` from records."""
