"""Shell scripts that replace server programs."""


def script(path, text):
    """Write an executable shell script, creating its folder."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path
