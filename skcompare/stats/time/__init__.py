"""Tests of records in time order, whose differences depend on earlier ones."""
