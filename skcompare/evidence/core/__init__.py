"""Storage, merging, exact counts, bins and devices, shared by all kinds of evidence."""
