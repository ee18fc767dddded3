"""What the other backend adds to torch.testing; nothing of it is needed here."""
