"""Access as code: groups, nodes, permissions and command filters of an organization, described in a file."""
