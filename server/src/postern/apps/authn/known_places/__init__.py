"""The browsers and addresses from which people have signed in."""
