/** Play a whole game with the client of hey-api. */

import {
  type Action, createGame, finishBuilding, getGame, listActions, listEvents, placeTile, purchase, setOffer,
} from "./client/index";
import { client } from "./client/client.gen";

const TYPES = ["set_offer", "buy", "pass", "place", "finish_building"] as const;
type Known = Extract<Action, { type: (typeof TYPES)[number] }>;
const isKnown = (action: Action): action is Known => (TYPES as readonly string[]).includes(action.type);

declare const process: { argv: string[] };

/** Send one action by the operation of its type. */
function act(path: { game: string; seat: number }, action: Known) {
  switch (action.type) {
    case "set_offer": return setOffer({ path, body: action.body });
    case "buy": case "pass": return purchase({ path, body: action.body });
    case "place": return placeTile({ path, body: action.body });
    case "finish_building": return finishBuilding({ path });
  }
}

/** Play against a bot, and read all events of the game. */
async function main(baseUrl: string) {
  client.setConfig({ baseUrl: baseUrl as "/" });
  const { data: created } = await createGame({
    body: { players: [{ name: "Ann" }, { bot: "random" }], auto_start: true }, throwOnError: true,
  });
  const game = created.game.id;
  client.setConfig({ baseUrl: baseUrl as "/", auth: created.players[0]!.token! });
  const path = { game, seat: 0 };
  const refused: string[] = [];
  const unknown = new Set<string>();
  while ((await getGame({ path: { game }, throwOnError: true })).data.status !== "finished") {
    const { data: { actions } } = await listActions({ path, throwOnError: true });
    for (const action of actions) if (!isKnown(action) && action.type !== "take_back") unknown.add(action.type);
    const { error } = await act(path, actions.find(isKnown)!);
    if (error) refused.push(error.code);
  }
  const { data: { events } } = await listEvents({ path: { game }, throwOnError: true });
  for (const { type } of events) if (type === ("auction_held" as string)) unknown.add(type);
  console.log("finished", events.length > 50, [...unknown].sort().join(), refused.join());
}

void main(process.argv[2]!);
