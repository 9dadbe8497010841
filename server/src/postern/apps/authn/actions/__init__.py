"""Writes of the authn app: one function for each verb."""
