"""Client of an LDAP v3 directory, such as OpenLDAP or Active Directory."""
