"""What the clients of WeCom, DingTalk and FeiShu share: calls, failures, app tokens, and who signed in."""
