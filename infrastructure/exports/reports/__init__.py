"""Reports as HTML, PDF and JSON, from one typed model."""
