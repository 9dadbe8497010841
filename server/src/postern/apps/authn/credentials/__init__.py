"""What calls are made with: the sign-in of a browser, bearer tokens, access keys."""
