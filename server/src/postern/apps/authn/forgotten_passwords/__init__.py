"""Forgotten passwords: anybody may ask for a link that is mailed to the owner of the account."""
