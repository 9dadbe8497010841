"""Credentials that users enter beforehand, for system users whose credential nobody stores."""
