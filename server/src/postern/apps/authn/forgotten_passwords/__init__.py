"""Forgotten passwords: anybody can request a link, which is mailed to the owner of the account."""
