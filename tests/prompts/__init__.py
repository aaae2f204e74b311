"""Tests of the prompts room."""
