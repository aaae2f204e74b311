"""What changed: between two versions of a parser, and between two runs."""
