"""The browser's way in: web terminal and live watching over websockets (contracts/browser.py)."""
