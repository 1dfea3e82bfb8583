"""Tests that are valid after every record of a stream."""
