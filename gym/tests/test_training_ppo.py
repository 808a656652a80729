"""The learner: its reward, its committed weights and, where sb3-contrib is installed, its training."""

import csv
import json
import sys
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("numpy", reason="NumPy is not installed: the learner is not tested")

import numpy as np

from gym.tests.playing import check_wins_against_random_bots
from skye import Options, new_game, play_out
from skye_gym.encoding import EncodedGame
from tests.support.programs import finished

PPO = Path(__file__).parents[1] / "examples" / "training" / "ppo"
HAS_GYMNASIUM = find_spec("gymnasium") is not None
HAS_PPO = find_spec("sb3_contrib") is not None

needs_ppo = pytest.mark.skipif(not HAS_PPO, reason="sb3-contrib is not installed: nothing is trained")


@pytest.fixture(autouse=True)
def _ppo_is_importable(monkeypatch):
    monkeypatch.syspath_prepend(PPO)


def random_game(seed, scoring_tiles=None):
    """Yield the encoded games before each decision of a random game of two, and the game at its end."""
    rng = Random(seed)
    encoded = EncodedGame(new_game(2, seed=str(seed), options=Options(scoring_tiles)).game)
    while not encoded.game.is_over:
        yield encoded
        encoded, _ = encoded.play(rng.choice(encoded.legal_actions()))
    yield encoded


def test_committed_weights_win_against_random_bots():
    check_wins_against_random_bots(import_module("learner"))


@pytest.mark.parametrize("content", [b"", b"no weights", "misfit", "empty", "missing"])
def test_corrupt_weights_of_the_learner_are_refused(tmp_path, content):
    path = tmp_path / "weights.npz"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content != "missing":
        np.savez(path, **({"summary.weight": np.zeros((3, 4))} if content == "misfit" else {}))
    with pytest.raises(ValueError, match="has no weights"):
        import_module("learner").load_agent(path)


def test_learner_refuses_games_that_it_was_not_trained_for():
    bot = import_module("learner").load_agent()
    with pytest.raises(ValueError, match="2 seats only"):
        play_out(new_game(3, seed="three").game, [bot] * 3, Random(1))


def test_rewards_of_a_game_add_up_to_the_lead_at_its_end():
    reward = import_module("lead_to_come")
    games = [encoded.game for encoded in random_game(4, ("most_ships", "squares", "most_gold", "sheep"))]
    *_, end = games
    for seat in range(2):
        rewards = [reward.change_of_lead(before, after, seat) for before, after in pairwise(games)]
        lead = end.players[seat].score - end.players[1 - seat].score
        assert reward.SCALE * sum(rewards) == pytest.approx(lead - reward.lead_to_come(games[0], seat))


def test_reward_of_a_placement_is_what_it_gains():
    reward = import_module("lead_to_come")
    gained = set()
    previous = None
    for encoded in random_game(5, ("squares", "completed_areas", "sheep", "brochs_in_mountains")):
        if previous is not None:
            change = reward.change_of_lead(previous.game, encoded.game, previous.seat)
            if previous.game.phase == encoded.game.phase == "building":
                gained.add(change > 0)
            elif previous.game is encoded.game:
                assert change == 0
        previous = encoded
    assert gained == {True, False}


@pytest.mark.skipif(not HAS_GYMNASIUM, reason="Gymnasium is not installed: its observations are missing")
def test_learner_observes_in_leagues_what_environments_show():
    from skye_gym.envs.gymnasium import IsleOfSkye

    observer = import_module("candidate_network").GameObserver()
    env = IsleOfSkye(["random"], observation="summary", actions="list+gains")
    observed, info = env.reset(seed=3)
    ended, rng = False, Random(1)
    draft = []
    while not ended:
        encoded = EncodedGame(env.game, tuple(draft), env.agent)
        summary, actions = observer.observe(encoded)
        assert np.array_equal(summary, observed["summary"])
        assert np.array_equal(actions, observed["actions"][: len(actions)])
        action = rng.randrange(len(actions))
        draft = [*draft, encoded.legal_actions()[action]] if encoded.game.phase == "pricing" else []
        draft = [] if len(draft) == encoded.encoding.decisions else draft
        observed, _, ended, _, info = env.step(action)
    assert info["scores"].shape == (2,)


def test_notebook_of_the_learner_runs_until_it_trains(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((PPO / "learner.ipynb").read_text())
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert "train_ppo" in cells[-1]
    names = {}
    for cell in cells[:-1]:
        exec(cell, names)
    assert names["points"]


@needs_ppo
def test_network_without_torch_has_the_scores_of_the_trained_one(tmp_path):
    import torch
    from gymnasium import spaces

    network = import_module("candidate_network")
    policy_module = import_module("candidate_policy")
    observations = spaces.Dict(
        {
            "summary": spaces.Box(0, 16, (network.SUMMARY,), np.float32),
            "actions": spaces.Box(0, 255, (408, network.FEATURES), np.uint8),
        }
    )
    policy = policy_module.CandidatePolicy(observations, spaces.Discrete(408), lambda _: 1e-3)
    policy_module.export(policy, tmp_path / "weights.npz")
    loaded, observer = network.CandidateNetwork.load(tmp_path / "weights.npz"), network.GameObserver()
    for encoded in [*random_game(6)][:-1:7]:
        summary, actions = observer.observe(encoded)
        padded = np.zeros((1, 408, network.FEATURES), np.uint8)
        padded[0, : len(actions)] = actions
        tensors = {"summary": torch.tensor(summary[None]), "actions": torch.tensor(padded)}
        with torch.no_grad():
            scores = policy.mlp_extractor.forward_actor(tensors)[0, : len(actions)].numpy()
        assert np.allclose(scores, loaded.scores(summary, actions), atol=1e-5)


@needs_ppo
@pytest.mark.full_size
def test_training_of_two_minutes_gains_points(tmp_path):
    sizes = ["--total=60000", "--points=1", "--games=20", "--last=20"]
    done = finished(sys.executable, PPO / "train_ppo.py", *sizes, f"--out={tmp_path}")
    assert done.returncode == 0, done.stderr
    header, first, last = csv.reader((tmp_path / "curve.csv").read_text().splitlines())
    assert header == ["steps", "cpu_seconds", "games", "win_rate", "lead"]
    assert float(last[-1]) > float(first[-1]) + 20
    assert import_module("learner").load_agent(tmp_path / "weights.npz")
