/** A bot that does not know the rules, with the TypeScript client. Usage: ../../README.md */

import { parseArgs } from "node:util";
import { ApiError, type Game, GameView, type Schemas, type Seat, Skye } from "skye-client";

type Action = Schemas["Action"];
type OfferAction = Schemas["OfferAction"];

/** Join a game, or create one with a number of bots; return it with the token of the seat. */
async function takeSeat(skye: Skye, id: string | undefined, bots: number): Promise<Game> {
  if (id !== undefined) return join(skye, id);
  const me = { name: "TypeScript" };
  const players = [me, ...Array.from({ length: bots }, () => ({ bot: "greedy" as const }))];
  const created = await skye.games.create({ players, auto_start: true });
  return skye.game(created.game.id, created.players[0]?.token);
}

/** Join a game with the first name of TypeScript, TypeScript 2, ... that no other player has. */
async function join(skye: Skye, id: string, number = 1): Promise<Game> {
  try {
    const name = number === 1 ? "TypeScript" : `TypeScript ${number}`;
    return skye.game(id, (await skye.game(id).join({ name })).token);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "name_taken") throw error;
    return join(skye, id, number + 1);
  }
}

/** Act on each turn until the game is over. */
async function play(view: GameView): Promise<void> {
  while (await view.untilMyTurn()) {
    try {
      await act(view.game.seat(view.data.you.seat ?? 0));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      console.warn(`refused: ${error.message}`); // the deadline has passed
    }
    await view.reload();
  }
}

/** Send a random legal action. */
async function act(seat: Seat): Promise<void> {
  const { actions } = await seat.actions();
  const forward = actions.filter((action) => action.type !== "take_back");
  const action = forward[Math.floor(Math.random() * forward.length)] as Action;
  if (isOffer(action)) await seat.setOffer(higherOffer(action));
  else await seat.act(action);
}

/** Return whether an action sets prices. */
function isOffer(action: Action): action is OfferAction {
  return action.type === "set_offer";
}

/** Replace the prices of the example in the action: a third of the gold on each tile. */
function higherOffer({ body, constraints }: OfferAction): OfferAction["body"] {
  const price = Math.floor(constraints.gold / 3);
  return { ...body, prices: Object.fromEntries(Object.keys(body.prices).map((tile) => [tile, price])) };
}

const options = parseArgs({
  options: {
    api: { type: "string", default: "http://127.0.0.1:8000" },
    game: { type: "string" },
    bots: { type: "string", default: "2" },
  },
}).values;
const game = await takeSeat(new Skye(options.api), options.game, Number(options.bots));
console.log("playing", game.id);
const view = await GameView.open(game);
await play(view);
for (const { score, name } of view.data.players.toSorted((one, other) => other.score - one.score)) {
  console.log(score, name);
}
