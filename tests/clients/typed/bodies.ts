// Bodies that the compiler takes, and, after `@ts-expect-error`, that it refuses.
import { Skye } from "skye-client";
import type { Schemas } from "skye-client";

const client = new Skye("http://127.0.0.1:8000");
const created = await client.games.create({ players: [{ name: "Ann" }, { bot: "greedy" }], auto_start: true });
const [seat] = client.seats(created), player = client.player();
if (!seat) throw new Error("no seat");

// What a program builds otherwise, one untyped method sends.
const fields: Record<string, unknown> = { playerz: [] };
await client.request("POST", "/v1/games", fields);
await player.request("POST", "/v1/games", fields, { idempotencyKey: "k" });
await seat.game.request("PATCH", "", fields, { token: null });
await seat.request("POST", "/what-if", fields);

// Fields, types and enumerations of every body.
await client.games.create({ options: { turn_ms: 60_000, tie_break: "total_gold" }, visibility: "private" });
await client.games.create({ scenario: "tie_shared" });
await client.games.create({ position: { round: 5, phase: "buying", players: [{}, { gold: 12 }] } });
// @ts-expect-error
await client.games.create({ playerz: [] });
// @ts-expect-error
await client.games.create({ seat_count: "2" });
// @ts-expect-error
await client.games.create({ visibility: "secret" });
// @ts-expect-error
await client.games.create({ players: [{ name: "Ann" }, { bot: "deep_blue" }] });
// @ts-expect-error
await client.games.create({ options: { turn_ms: "60" } });
// @ts-expect-error
await client.games.create({ options: { turns_ms: 60 } });
// @ts-expect-error
await player.games.create({ name: 5 });
await player.leagues.create([{ players: [{ bot: "random" }, { bot: "greedy" }], auto_start: true }]);
// @ts-expect-error
await player.leagues.create([{ bots: 2 }]);
await player.createTicket({ name: "Ann", seat_count: 2 });
// @ts-expect-error
await player.createTicket({ name: "Ann" });
await seat.game.join({ name: "Ann", color: "red" });
// @ts-expect-error
await seat.game.join({ name: "Ann", color: "pink" });
// @ts-expect-error
await seat.game.join({ nom: "Ann" });
await seat.change({ color: "blue" });
// @ts-expect-error
await seat.change({ colour: "blue" });
await seat.setOffer({ discard: "L01", prices: { L02: 1, L03: 2 } });
// @ts-expect-error
await seat.setOffer({ discard: "L01", prices: { L02: 1, L03: "2" } });
// @ts-expect-error
await seat.setOffer({ discard: "X01", prices: { L02: 1, L03: 2 } });
await seat.buy("L01");
// @ts-expect-error
await seat.buy("X01");
await seat.place({ tile: "L01", x: 1, y: 0, rotation: 90 });
// @ts-expect-error
await seat.place({ tile: "L01", x: 1, y: 0, rotation: 45 });
await seat.places(["L01"]);
// @ts-expect-error
await seat.places(["X01"]);
await seat.whatIf([{ tile: "L01", x: 1, y: 0 }]);
// @ts-expect-error
await seat.whatIf([{ tile: "L01", x: 1 }]);
await client.catalogue.score({ territories: [{ tiles: [{ tile: "L01", x: 1, y: 0 }] }] });
// @ts-expect-error
await client.catalogue.score({ territory: [] });
await client.games.list({ status: "lobby" });
// @ts-expect-error
await client.games.list({ status: "open" });

export const game: Schemas["GameToCreate"] = { players: [{ bot: "random" }, { bot: "greedy" }], auto_start: true };
await player.leagues.create(Array(10).fill(game));
