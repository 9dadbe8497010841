"""Batch commands: one command of a person on many hosts, under the permissions and command filters of a session."""
