"""Findings of the detection, their coverage, and case files."""
