"""Training on arrays: learners, the three loops and what they leave."""
