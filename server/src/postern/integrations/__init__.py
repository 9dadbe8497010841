"""Clients of what is outside: storages, directories, mail, clouds. They know no app; an app says what it wants of them."""
