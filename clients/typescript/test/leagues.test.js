import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError, ConnectionFailedError, Skye } from "skye-client";
import { cuttingProxy } from "./cutting-proxy.js";
import { SERVER, direct } from "./support.js";

const quick = { retry: { attempts: 200, baseMs: 10, maxMs: 50 } };
const bots = { players: [{ bot: "random" }, { bot: "random" }], auto_start: true, visibility: "private" };
const people = { players: [{ name: "Ann" }, { name: "Bob" }] };
const player = direct.player();
const season = new Skye(SERVER, { timeoutMs: 180_000 }).player(player.key).leagues.create(Array(25).fill(bots)).then((games) => games.map(({ game_id }) => game_id).sort());

/** Return the lines of an export. */
async function exported(client, options) {
  const lines = [];
  for await (const line of client.leagues.records(options)) lines.push(line);
  return lines;
}
const gamesOf = (lines) => lines.map(({ record }) => record.game_id).sort();

test("a batch whose response is lost creates its games once", async () => {
  const keys = [];
  const fetch = async (url, init) => {
    keys.push(init.headers["Idempotency-Key"]);
    const fault = keys.length === 1 ? { "Skye-Fault": "drop" } : {};
    return globalThis.fetch(url, { ...init, headers: { ...init.headers, ...fault } });
  };
  const host = new Skye(SERVER, { fetch, ...quick }).player();
  const created = await host.leagues.create([people, bots]);
  assert.equal(keys[0], keys[1]);
  const { games } = await direct.player(host.key).games.list();
  assert.deepEqual(games.map(({ game }) => game.id).sort(), created.map(({ game_id }) => game_id).sort());
});

test("an export has each game of the player once, however many one request asks for", async () => {
  const games = await season;
  for (const limit of [200, 25, 7, 1]) assert.deepEqual(gamesOf(await exported(player, { limit })), games);
});

test("an export through a proxy that cuts connections has each game once", { timeout: 600_000 }, async (t) => {
  const games = await season;
  const proxy = await cuttingProxy(SERVER);
  t.after(() => proxy.close());
  proxy.state.mode = "cut";
  assert.deepEqual(gamesOf(await exported(new Skye(proxy.url, quick).player(player.key), { limit: 10 })), games);
});

test("an export goes on after the cursor of a line, and begins at a time", async () => {
  await season;
  const lines = await exported(player);
  assert.deepEqual(await exported(player, { cursor: lines[9].cursor }), lines.slice(10));
  const since = lines[4].finished_at;
  assert.deepEqual(await exported(player, { since }), lines.filter(({ finished_at }) => finished_at >= since));
  assert.deepEqual(await exported(player, { until: since }), lines.filter(({ finished_at }) => finished_at < since));
});

test("the public export leaves out private games", async () => {
  const games = await season;
  const { game } = await direct.games.create({ ...bots, visibility: "public" });
  const lines = await exported(direct), found = gamesOf(lines);
  assert.ok(found.includes(game.id));
  assert.deepEqual(await exported(direct, { until: lines.at(-1).finished_at }), []);
  assert.ok(!found.some((id) => games.includes(id)));
});

test("an export that is refused, cut in a line or unreachable ends", async () => {
  await assert.rejects(exported(direct, { since: "2027-01-15" }), (error) => error instanceof ApiError);
  const fetch = async () => new Response('{"cursor":"1"}\n{"cur');
  const cut = new Skye("http://test", { fetch, retry: { attempts: 3, baseMs: 1 } });
  const seen = [];
  await assert.rejects((async () => {
    for await (const line of cut.leagues.records()) if (seen.push(line) > 4) throw new Error("enough");
  })(), /enough/);
  const none = new Skye("http://127.0.0.1:9", { retry: { attempts: 2, baseMs: 1 } });
  await assert.rejects(exported(none), ConnectionFailedError);
});
