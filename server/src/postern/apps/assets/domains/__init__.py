"""Domains: network zones, whose assets are reached through gateways."""
