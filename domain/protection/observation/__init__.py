"""What everyone at the table could have seen before each card."""
