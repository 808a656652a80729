"""Models that the tests' own environment generates, in a client that plays, in every run of the tests."""

import sys
from pathlib import Path

from tests.contract.generators.generating import HERE, pydantic_models, run

PROGRAM = HERE / "programs" / "play_pydantic.py"


def test_client_with_pydantic_models_plays_a_whole_game(tmp_path, live):
    pydantic_models(tmp_path, Path(sys.executable).parent)
    played = run("env", f"PYTHONPATH={tmp_path}", sys.executable, PROGRAM, live.url, cwd=tmp_path)
    assert played == "finished True [] []\n"
