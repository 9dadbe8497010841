"""House rules as code: what no ready-made linter checks the way we mean it. `python -m house_lint FOLDER…`."""
