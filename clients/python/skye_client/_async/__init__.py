"""The asynchronous client. `skye_client/_sync` is generated from this folder: run `python -m generate`."""
