"""The LDAP directory: signing in with its passwords, the list of its people, import and synchronisation."""
