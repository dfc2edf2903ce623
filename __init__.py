"""Sabot, an event-sourced dealer and auditor for baccarat."""
