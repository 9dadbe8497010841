"""The LDAP directory: sign-in with its passwords, the list of its people, import and synchronisation."""
