"""How few groups of records make a test of grouped records unreliable."""

FEW = 10
"""Below so many groups a result is flagged."""

FEW_GROUPS = "few-groups"
