"""The OpenAPI 3 description of the API, generated from the views, and the pages that display it."""
