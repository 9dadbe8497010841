"""Commands: what people typed in sessions, told by proxies and read by auditors."""
