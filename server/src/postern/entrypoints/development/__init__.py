"""What exists only while developers work on Postern (`make dev`): `web.reloading` is the only module that loads it."""
