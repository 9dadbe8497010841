"""Clients of external systems: storages, directories, mail, clouds. They import no app; apps define what they need."""
