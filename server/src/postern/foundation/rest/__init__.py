"""The REST machinery: rights, list envelope, OPTIONS metadata, filters, selections and error shapes.

How to add a resource is told at the top of `postern.foundation.rest.viewsets`.
"""
