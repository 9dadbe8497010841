"""FeiShu (Lark): sign-in with a QR code or inside its own browser."""
