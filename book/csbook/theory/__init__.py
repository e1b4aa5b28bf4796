"""What the papers prove or claim, as programs."""
