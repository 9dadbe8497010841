"""`make new-resource`: writes a resource of plain columns and lists on the server, in the console and in the tests."""
