"""What Postern does by itself every so often: when it ran last, and switching it off and on."""
