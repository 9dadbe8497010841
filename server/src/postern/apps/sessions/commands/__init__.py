"""Commands that users entered in sessions: reported by proxies, read by auditors."""
