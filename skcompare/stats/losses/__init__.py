"""Tests of mean losses per record."""
