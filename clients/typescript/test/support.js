import { Skye } from "skye-client";

/** The address of the server under test: `make serve`, or SKYE_URL. */
export const SERVER = process.env.SKYE_URL ?? "http://127.0.0.1:8000";
export const direct = new Skye(SERVER);

/** Create a game with people in all seats; return its id and the tokens. */
export async function newGame(players = 2, body = {}) {
  const names = ["Ann", "Bob", "Cy", "Dee", "Eve"].slice(0, players).map((name) => ({ name }));
  const created = await direct.games.create({ players: names, auto_start: true, ...body });
  return { id: created.game.id, host: created.host_token, tokens: created.players.map(({ token }) => token) };
}

/** Let every seat that must act take its first legal action; return whether the game goes on. */
export async function step({ id, tokens }, skye = direct) {
  const { waiting_for, status } = await skye.game(id).get();
  for (const seat of waiting_for) {
    const its = skye.game(id, tokens[seat]).seat(seat);
    const actions = await its.actions();
    if (actions.length) await its.act(actions[0]).catch(overtaken);
  }
  return status === "playing";
}

function overtaken(error) {
  if (error.status !== 409) throw error;
}
