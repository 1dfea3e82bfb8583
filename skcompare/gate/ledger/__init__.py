"""Ledger of looks at a hold-out set."""
