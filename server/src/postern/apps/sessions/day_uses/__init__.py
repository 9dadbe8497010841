"""Who used which asset how often on each day, counted once the day is over. Figures of weeks come from these rows."""
