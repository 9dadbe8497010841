"""The browser's endpoint: web terminal and live watching over websockets (contracts/browser.py)."""
