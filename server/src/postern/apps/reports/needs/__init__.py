"""What needs a person: each finding with its number, so that the dashboard can lead to where it is dealt with."""
