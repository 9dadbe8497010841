"""The asset menu without a terminal: its lists, and the meaning of each answer."""
