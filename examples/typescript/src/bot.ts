/** A bot that does not know the rules, with the TypeScript client. Usage: ../../README.md */

import { parseArgs } from "node:util";
import { ApiError, type Game, GameView, type Known, type Schemas, Skye, SkyeError, isKnown } from "skye-client";

type Action = Known<Schemas["Action"]>;

/** Join a game, or create one with a number of bots; return it with the token of the seat. */
async function takeSeat(client: Skye, id: string | undefined, bots: number): Promise<Game> {
  if (id !== undefined) return join(client, id);
  const me = { name: "TypeScript" };
  const players = [me, ...Array.from({ length: bots }, () => ({ bot: "greedy" as const }))];
  const created = await client.games.create({ players, auto_start: true });
  return client.game(created.game.id, created.players[0]?.token);
}

/** Join a game with the first name of TypeScript, TypeScript 2, ... that no other player has. */
async function join(client: Skye, id: string, number = 1): Promise<Game> {
  try {
    const name = number === 1 ? "TypeScript" : `TypeScript ${number}`;
    return client.seat(await client.game(id).join({ name })).game;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "name_taken") throw error;
    return join(client, id, number + 1);
  }
}

/** Act on each turn until the game is over. */
async function play(view: GameView): Promise<void> {
  while (await view.untilMyTurn()) {
    try {
      await view.act(choose((await view.actions()).filter(isKnown)));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      console.warn(`refused: ${error.message}`); // the deadline has passed
      await view.reload();
    }
  }
}

/** Return a random action; an offer with a third of the gold on each tile. */
function choose(actions: Action[]): Action {
  const forward = actions.filter((action) => action.type !== "take_back");
  const action = forward[Math.floor(Math.random() * forward.length)] as Action;
  if (action.type !== "set_offer") return action;
  const price = Math.floor(action.constraints.gold / 3);
  const prices = Object.fromEntries(Object.keys(action.body.prices).map((tile) => [tile, price]));
  return { ...action, body: { ...action.body, prices } };
}

try {
  const options = parseArgs({
    options: {
      api: { type: "string", default: "http://127.0.0.1:8000" },
      game: { type: "string" },
      bots: { type: "string", default: "2" },
    },
  }).values;
  if (!/^[1-4]$/.test(options.bots)) throw new SkyeError("--bots is a number from 1 to 4");
  const game = await takeSeat(new Skye(options.api), options.game, Number(options.bots));
  console.log("playing", game.id);
  const view = await GameView.open(game);
  await play(view);
  for (const { score, name } of view.data.players.toSorted((one, other) => other.score - one.score)) {
    console.log(score, name);
  }
} catch (error) {
  const isOfOptions = error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
  if (!(error instanceof SkyeError || isOfOptions)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
