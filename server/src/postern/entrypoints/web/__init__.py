"""The web part: several processes that serve the application of `postern.entrypoints.asgi`, and a parent that keeps them up."""

from postern.entrypoints.web.serve import serve

__all__ = ["serve"]
