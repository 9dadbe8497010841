"""WeCom: sign-in with a QR code or inside its own browser, and the token of the application."""
