"""How long things take and how much memory they need; run by asv."""
