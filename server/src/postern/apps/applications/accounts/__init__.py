"""Accounts of applications: the pairs of application and system user that permissions grant, with secrets of their own."""
