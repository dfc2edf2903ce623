"""Reports on a period: each kind is a pure function from records to a typed `Report`."""
