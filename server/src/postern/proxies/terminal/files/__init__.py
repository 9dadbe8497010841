"""The file manager: sessions over the websocket, and their files over HTTP (`contracts/files.py`)."""
