"""The web service: processes that serve `postern.entrypoints.asgi`, and a parent that supervises them."""

from postern.entrypoints.web.serve import serve

__all__ = ["serve"]
