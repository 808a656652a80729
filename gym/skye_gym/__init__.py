"""Isle of Skye for learning agents: environments, encodings, leagues, a search bot, evaluations of models.

These modules are public: `skye_gym.encoding` (actions as numbers, with masks), `skye_gym.encoding_versions`
(which encodings stay as they are), `skye_gym.bots`, `skye_gym.agents` (texts for language models),
`skye_gym.arena` and `skye_gym.arena.columns` (leagues and their tables), `skye_gym.bench` (`skye-bench`),
`skye_gym.evals` (`skye-eval`), `skye_gym.review` (`skye-review`), and `skye_gym.envs`, which has a module for
each framework: `skye_gym.envs.gymnasium`, `skye_gym.envs.pettingzoo`, `skye_gym.envs.openspiel` and
`skye_gym.envs.stable_baselines`. What agents see and
choose is documented in `skye_gym.envs.observation`, `skye_gym.envs.planes`, `skye_gym.envs.summary`,
`skye_gym.envs.actions`, `skye_gym.envs.rewards` and `skye_gym.envs.vector`. All other modules may change.
"""
