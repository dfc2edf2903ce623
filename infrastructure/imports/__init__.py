"""Ways in: coup lines, mapped files, facts as lines, and another log's export."""
