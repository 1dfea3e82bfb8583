"""The ledger of looks at a hold-out set."""
