"""The verbs. Each module holds one verb or a family of verbs."""
