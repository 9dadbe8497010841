"""Project-specific lint rules that no existing linter covers. Usage: `python -m house_lint FOLDER…`."""
