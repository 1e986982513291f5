"""How many lies the checker catches and how much of what is honest it keeps: seeded drafts over evidence that was really read."""
