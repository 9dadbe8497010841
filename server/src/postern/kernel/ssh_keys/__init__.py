"""SSH public keys, their signatures, and certificates of them: the formats, without any decision about a user."""
