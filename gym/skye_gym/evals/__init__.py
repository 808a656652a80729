"""`skye-eval` measures language models and bots on this game: exact tasks, judged tasks and whole games.

`questions` has what is asked and replied, `tasks` the tasks with exact answers, `judged` those that are
judged in points, `games` the games. `plan` lists what a run consists of, `transcript` keeps every reply, and
`scoring` computes the tables from a transcript alone. `scripts` has simple rules, the baselines; `validity`
compares the judge with games of `hybrids`. EVAL.md describes them for users.
"""
