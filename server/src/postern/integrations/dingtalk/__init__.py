"""DingTalk: sign-in with a QR code."""
