"""Tests of scores and tables on several splits."""
