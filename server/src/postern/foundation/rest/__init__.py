"""The REST machinery: rights, list envelope, OPTIONS metadata, filters, selections and error bodies.

The docstring of `postern.foundation.rest.viewsets` explains how to add a resource.
"""
