"""The policy of the learner for MaskablePPO: a network that scores each legal action of `list+gains`.

A flat network would learn each of the 408 places in the list on its own. This one has the same weights for
all actions: it adds the embedding of an action to that of the game's summary, pools the actions into a
context, and gives each action a score. It computes only the rows of legal actions, about ten of 408.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from candidate_network import LAYERS, SCALE, SHIFT
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

TYPES = 6
"""The first features of an action, its type: a row without one is no legal action."""

WIDTH, NARROW = 192, 96
"""The sizes of the two layers."""


class Observed(BaseFeaturesExtractor):
    """Passes the arrays of an observation on as they are."""

    def __init__(self, observation_space: spaces.Dict) -> None:
        super().__init__(observation_space, features_dim=1)

    def forward(self, observations: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Return the observations."""
        return observations


class CandidateScorer(nn.Module):
    """The scores of the actions, and the embedding of the game for its value."""

    def __init__(self, observation_space: spaces.Dict) -> None:
        super().__init__()
        self.latent_dim_pi, features = observation_space["actions"].shape
        self.latent_dim_vf = NARROW
        [numbers] = observation_space["summary"].shape
        self.register_buffer("shift", torch.tensor(SHIFT))
        self.register_buffer("scale", torch.tensor(SCALE))
        self.summary = nn.Linear(numbers, WIDTH)
        self.action = nn.Linear(features, WIDTH)
        self.context = nn.Linear(2 * WIDTH, NARROW)
        self.hidden = nn.Linear(WIDTH, NARROW)
        self.score = nn.Linear(NARROW, 1)
        self.value_summary = nn.Linear(numbers, WIDTH)
        self.value_hidden = nn.Linear(2 * WIDTH, NARROW)

    def forward(self, observed: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the scores of all actions, 0 where there is none, and the embedding for the value."""
        listed = observed["actions"]
        summary = observed["summary"].float()
        games, places = (listed[:, :, :TYPES] != 0).any(-1).nonzero(as_tuple=True)
        rows = (listed[games, places].float() - self.shift) * self.scale
        state = torch.relu(self.summary(summary))
        embedded = torch.relu(self.action(rows) + state[games])
        index = games[:, None].expand_as(embedded)
        pooled = torch.zeros_like(state).scatter_reduce(0, index, embedded, "amax", include_self=True)
        context = torch.relu(self.context(torch.cat([state, pooled], 1)))
        hidden = torch.relu(self.hidden(embedded) + context[games])
        scores = torch.zeros(listed.shape[:2]).index_put((games, places), self.score(hidden)[:, 0])
        of_value = torch.relu(self.value_summary(summary))
        return scores, torch.relu(self.value_hidden(torch.cat([of_value, pooled.detach()], 1)))

    def forward_actor(self, observed: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the scores."""
        return self(observed)[0]

    def forward_critic(self, observed: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the embedding for the value."""
        return self(observed)[1]


class CandidatePolicy(MaskableActorCriticPolicy):
    """The policy and the value of MaskablePPO."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options, features_extractor_class=Observed, ortho_init=False)

    def extract_features(self, obs: Any, features_extractor: Any = None) -> Any:  # noqa: ARG002 - of the base class
        """Return the observation, without the conversion of all rows to float."""
        return obs

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = CandidateScorer(self.observation_space)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net = nn.Identity()
        with torch.no_grad():
            self.mlp_extractor.score.weight.mul_(0.1)
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


def export(policy: CandidatePolicy, path: Path) -> None:
    """Write the weights of the policy for `candidate_network.CandidateNetwork`."""
    state = policy.mlp_extractor.state_dict()
    weights = {name: array.numpy() for name, array in state.items() if name.split(".")[0] in LAYERS}
    np.savez(path, **weights)
