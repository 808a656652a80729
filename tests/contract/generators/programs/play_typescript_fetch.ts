/** Play a whole game with the typescript-fetch client of openapi-generator. */

import { type Action, Configuration, HistoryApi, LobbyApi, PlayApi, ResponseError } from "./client/index";

declare const process: { argv: string[] };

/** Send one action by the operation of its type; pass over types that this program does not know. */
async function act(play: PlayApi, game: string, action: Action): Promise<unknown> {
  const place = { game, seat: 0 };
  switch (action.type) {
    case "set_offer": return play.setOffer({ ...place, offer: action.body });
    case "buy": case "pass": return play.purchase({ ...place, purchase: action.body });
    case "place": return play.placeTile({ ...place, placement: action.body });
    case "finish_building": return play.finishBuilding(place);
    default: throw new Error(action.type);
  }
}

const KNOWN = ["set_offer", "buy", "pass", "place", "finish_building"];
/** Play against a bot, and read all events of the game. */
async function main(basePath: string) {
  const gameToCreate = { players: [{ name: "Ann" }, { bot: "random" as const }], autoStart: true };
  const created = await new LobbyApi(new Configuration({ basePath })).createGame({ gameToCreate });
  const game = created.game.id;
  const configuration = new Configuration({ basePath, accessToken: created.players[0]!.token! });
  const [lobby, play, history] = [new LobbyApi(configuration), new PlayApi(configuration), new HistoryApi(configuration)];
  const refused: string[] = [];
  const unknown = new Set<string>();
  while ((await lobby.getGame({ game })).status !== "finished") {
    const { actions } = await play.listActions({ game, seat: 0 });
    for (const { type } of actions) if (!KNOWN.includes(type) && type !== "take_back") unknown.add(type);
    try {
      await act(play, game, actions.find(({ type }) => KNOWN.includes(type))!);
    } catch (error) {
      if (!(error instanceof ResponseError)) throw error;
      refused.push((await error.response.json()).code);
    }
  }
  const { events } = await history.listEvents({ game });
  for (const { type } of events) if (type === ("auction_held" as string)) unknown.add(type);
  console.log("finished", events.length > 50, [...unknown].sort().join(), refused.join());
}

void main(process.argv[2]!);
