/** A bot that knows no rules, over types generated from openapi.yaml. How to use it: ../README.md */

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./skye.js";

type Game = components["schemas"]["Game"];
type Action = components["schemas"]["Action"];
type Reply<T> = { data?: T; error?: unknown; response: Response };

/** Send a request until it is answered. That is safe: an Idempotency-Key makes a write count once. */
async function ask<T>(send: () => Promise<Reply<T>>): Promise<T> {
  let reason: unknown;
  for (const delay of [200, 500, 1000, 2000, 5000, 10_000, 20_000]) {
    try {
      const { data, error, response } = await send();
      if (data !== undefined) return data;
      reason = error;
      if (response.status !== 429 && response.status !== 503) break;
    } catch (error) {
      reason = error; // no answer at all
    }
    await sleep(delay);
  }
  throw new Error(JSON.stringify(reason), { cause: reason });
}

/** Join a game, or open one with so many bots; return its id and the token of the seat. */
async function sitDown(api: Client<paths>, game: string | undefined, bots: number) {
  const me = { name: "TypeScript" };
  const header = { "Idempotency-Key": randomUUID() };
  if (game !== undefined) {
    const params = { path: { game }, header };
    const seat = await ask(() => api.POST("/v1/games/{game}/players", { params, body: me }));
    return { game, token: seat.token };
  }
  const players = [me, ...Array.from({ length: bots }, () => ({ bot: "greedy" as const }))];
  const created = await ask(() => api.POST("/v1/games", { params: { header }, body: { players, start: true } }));
  return { game: created.game.id, token: created.players[0]?.token };
}

/** Act when it is the seat's turn, and wait for events when not; return the game when it is over. */
async function play(api: Client<paths>, game: string): Promise<Game> {
  for (;;) {
    const view = await ask(() => api.GET("/v1/games/{game}", { params: { path: { game } } }));
    const seat = view.you.seat;
    if (seat === null || view.status === "finished" || view.status === "aborted") return view;
    if (view.waiting_for.includes(seat)) {
      await act(api, { game, seat }).catch(console.warn); // refused when a deadline was faster: look again
    } else {
      const params = { path: { game }, query: { after: view.last_event, wait_ms: 30_000 } };
      await ask(() => api.GET("/v1/games/{game}/events", { params }));
    }
  }
}

/** Send one of the legal actions, whichever it be: this bot plays for fun. */
async function act(api: Client<paths>, path: { game: string; seat: number }): Promise<Game> {
  const { actions } = await ask(() => api.GET("/v1/games/{game}/players/{seat}/actions", { params: { path } }));
  const forward = actions.filter((action) => action.type !== "take_back");
  const action = forward[Math.floor(Math.random() * forward.length)] as Action;
  const params = { path, header: { "Idempotency-Key": randomUUID() } };
  switch (action.type) {
    case "set_offer":
      return ask(() => api.PUT("/v1/games/{game}/players/{seat}/offer", { params, body: dearer(action) }));
    case "buy":
    case "pass":
      return ask(() => api.POST("/v1/games/{game}/players/{seat}/purchase", { params, body: action.body }));
    case "place":
      return ask(() => api.POST("/v1/games/{game}/players/{seat}/placements", { params, body: action.body }));
    case "take_back":
      return ask(() => api.DELETE("/v1/games/{game}/players/{seat}/placements/last", { params }));
    case "finish_building":
      return ask(() => api.POST("/v1/games/{game}/players/{seat}/build/finish", { params }));
  }
}

/** Instead of the offer that the action has as an example: a third of the gold on each tile. */
function dearer({ body, constraints }: components["schemas"]["OfferAction"]) {
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
const baseUrl = options.api;
const { game, token } = await sitDown(createClient<paths>({ baseUrl }), options.game, Number(options.bots));
console.log("playing", game);
const headers = { Authorization: `Bearer ${token}` };
const { players } = await play(createClient<paths>({ baseUrl, headers }), game);
for (const player of players.sort((one, other) => other.score - one.score)) console.log(player.score, player.name);
