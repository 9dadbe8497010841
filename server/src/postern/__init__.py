"""Postern: an open-source privileged access platform."""

__version__ = "0.1.0"

#: Compatibility level of the HTTP API (shown beside the version in the console's footer).
API_LEVEL = "v2.13.2"
