import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError, ConnectionFailedError, Skye, SkyeError, host } from "skye-client";
import { cuttingProxy } from "./cutting-proxy.js";
import { SERVER, direct } from "./support.js";

const game = { players: [{ name: "Ann" }, { bot: "random" }], auto_start: true };
const atRandom = ({ moves }) => moves[Math.floor(Math.random() * moves.length)];

async function statuses(player) {
  const found = [];
  for await (const own of player.games.all()) found.push(own.game.status);
  return found;
}

test("a host plays all games of a player, through cut connections", { timeout: 600_000 }, async (t) => {
  const proxy = await cuttingProxy(SERVER);
  t.after(() => proxy.close());
  const player = direct.player();
  await player.leagues.create(Array(5).fill(game));
  proxy.state.mode = "cut";
  const counts = [];
  await host(player.key, atRandom, { url: proxy.url, concurrency: 2, untilOver: true, onProgress: (one) => counts.push(one) });
  assert.deepEqual(await statuses(player), Array(5).fill("finished"));
  assert.ok(counts.at(-1).decisions >= 5 * 6);
});

test("a host ends with the error of decide", async () => {
  const player = direct.player();
  await player.games.create(game);
  const decide = () => { throw new RangeError("no idea"); };
  await assert.rejects(host(player.key, decide, { url: SERVER }), RangeError);
});

test("a host resumes after an outage that decide meets", async () => {
  const player = direct.player(), errors = [new ConnectionFailedError("cut"), new ApiError(503, {})];
  await player.games.create(game);
  const decide = (turn) => {
    if (errors.length) throw errors.pop();
    return atRandom(turn);
  };
  await host(player.key, decide, { url: SERVER, untilOver: true });
  assert.deepEqual(await statuses(player), ["finished"]);
});

test("a host ends with a request of decide that the server refuses", async () => {
  const player = direct.player();
  await player.games.create(game);
  const decide = ({ seat, moves: [action] }) => seat.act({ ...action, body: {} });
  await assert.rejects(host(player.key, decide, { url: SERVER }), { code: "invalid_body" });
  const mistyped = ({ moves: [action] }) => ({ ...action, href: "/v1/nothing" });
  await assert.rejects(host(player.key, mistyped, { url: SERVER }), { code: "not_found" });
});

test("a host sends the request of the listed action that has the type of an answer", async () => {
  const player = direct.player();
  await player.games.create(game);
  const decide = (turn) => { const { type, body } = atRandom(turn); return { type, body }; };
  await host(player.key, decide, { url: SERVER, untilOver: true });
  assert.deepEqual(await statuses(player), ["finished"]);
});

test("a host ends with an answer that is no action", async () => {
  const player = direct.player();
  await player.games.create(game);
  for (const [answer, shown] of [[42, "42"], ["pass", '"pass"'], [{}, "{}"], [null, "null"], [undefined, "undefined"]]) {
    const message = `\`decide\` returned no action, with \`type\` and \`body\`: ${shown}`;
    await assert.rejects(host(player.key, () => answer, { url: SERVER }), (error) => error instanceof SkyeError && error.message === message);
  }
  await assert.rejects(host(player.key, () => ({ type: "dance", body: null }), { url: SERVER }), /not legal now: {"type":"dance"/);
});

test("a host ends when the server does not know a ruleset", async () => {
  const player = direct.player();
  await player.games.create(game);
  await assert.rejects(host(player.key, atRandom, { url: SERVER, untilOver: true, rulesets: ["base", "bsae"] }), /Unknown ruleset "bsae"/);
});

test("a host does not wait for games of other rulesets", async () => {
  const player = direct.player();
  await player.games.create(game);
  await host(player.key, atRandom, { url: SERVER, untilOver: true, rulesets: [] });
  assert.deepEqual(await statuses(player), ["playing"]);
});

test("a host leaves out a game that is deleted while it decides", async () => {
  const player = direct.player(), lobby = player.game((await player.games.create(game)).game.id);
  const decide = async (turn) => {
    await lobby.abort();
    await lobby.delete();
    return atRandom(turn);
  };
  await host(player.key, decide, { url: SERVER, untilOver: true });
  assert.deepEqual(await statuses(player), []);
});

const ends = { "is aborted": (lobby) => lobby.abort(), "is left": (lobby) => lobby.seat(0).leave() };
for (const [name, end] of Object.entries(ends)) {
  test(`a host ends when the last game ${name} after the list`, async (t) => {
    const created = await direct.games.create({ seat_count: 2 }), lobby = direct.game(created.game.id, created.host_token);
    const player = direct.player(), { fetch } = globalThis;
    await player.game(lobby.id).join({ name: "Ann" });
    let ended = false;
    t.mock.method(globalThis, "fetch", async (url, init) => {
      const response = await fetch(url, init);
      if (ended || !url.endsWith("/v1/me/games")) return response;
      ended = true;
      await end(lobby);
      return response;
    });
    await host(player.key, atRandom, { url: SERVER, untilOver: true });
    assert.ok(ended);
  });
}

test("a host ends with an action that the server refuses", async () => {
  const player = direct.player();
  await player.games.create(game);
  const decide = ({ moves: [action] }) => ({ ...action, body: {} });
  await assert.rejects(host(player.key, decide, { url: SERVER }), { code: "invalid_body" });
});

test("a host resumes after an outage", async (t) => {
  const player = direct.player(), { fetch } = globalThis;
  await player.games.create(game);
  let failing = 0;
  t.mock.method(globalThis, "fetch", async (url, init) =>
    failing > 0 && url.includes("/v1/me/games") && failing-- ? new Response("", { status: 500 }) : fetch(url, init));
  let decisions = 0;
  const decide = (turn) => {
    if (++decisions === 1) failing = 1;
    return atRandom(turn);
  };
  await host(player.key, decide, { url: SERVER, untilOver: true });
  assert.deepEqual([await statuses(player), failing], [["finished"], 0]);
});

test("a host ends when its signal aborts", async () => {
  const player = direct.player(), stop = new AbortController();
  await player.games.create(game);
  let decisions = 0;
  const decide = async (turn) => {
    assert.ok((await turn.seat.territory()).tiles ?? true);
    if (++decisions === 2) stop.abort();
    return atRandom(turn);
  };
  await host(player.key, decide, { url: SERVER, signal: stop.signal });
  assert.equal(decisions, 2);
  assert.equal((await new Skye(SERVER).player(player.key).games.list()).games[0].game.status, "playing");
});

/** Return a game of a player whose seat was 2 until the start closed a gap of the lobby. */
async function renumbered(player) {
  const created = await direct.games.create({ players: [{ bot: "random" }, { bot: "random" }], seat_count: 3 });
  const lobby = direct.game(created.game.id, created.host_token);
  assert.equal((await player.game(lobby.id).join({ name: "Ann" })).seat, 2);
  await lobby.seat(1).leave();
  await lobby.start();
  return player.game(lobby.id);
}

test("a host acts for a seat that the start of the game has renumbered", async () => {
  const player = direct.player(), game = await renumbered(player);
  await host(player.key, atRandom, { url: SERVER, untilOver: true });
  assert.equal((await game.get()).status, "finished");
});

test("the events of a player name the seat that the start of the game has renumbered", async () => {
  const player = direct.player(), game = await renumbered(player), seats = [];
  for await (const event of player.events()) {
    if (event.type === "seat_taken") seats.push(event.seat);
    if (event.type === "game_over") break;
    if (event.type !== "your_turn") continue;
    const seat = game.seat(event.seat);
    const moves = async () => (await seat.actions()).filter(({ type }) => type !== "take_back");
    for (let found = await moves(); found.length; found = await moves()) await seat.act(atRandom({ moves: found }));
  }
  assert.deepEqual(seats, [2, 1]);
  assert.equal((await game.get()).status, "finished");
});

test("a host leaves out a game that the server refuses to send", async (t) => {
  const player = direct.player(), { fetch } = globalThis;
  const [first, second] = [(await player.games.create(game)).game.id, (await player.games.create(game)).game.id];
  const warn = t.mock.method(console, "warn", () => {});
  t.mock.method(globalThis, "fetch", async (url, init) =>
    url.includes(`/v1/games/${first}?include=actions`) ? Response.json({ code: "data_corrupt" }, { status: 500 }) : fetch(url, init));
  await host(player.key, atRandom, { url: SERVER, untilOver: true });
  assert.deepEqual([(await player.game(second).get()).status, (await player.game(first).get()).status], ["finished", "playing"]);
  assert.equal(warn.mock.callCount(), 1);
});

test("a host takes back a seat that was taken over", { timeout: 600_000 }, async () => {
  const player = direct.player();
  const { game: { id } } = await player.games.create({ ...game, options: { turn_ms: 1000 } });
  const own = player.game(id);
  while ((await own.get()).players[0].takeover === null) await new Promise((resolve) => setTimeout(resolve, 100));
  await host(player.key, atRandom, { url: SERVER, untilOver: true });
  const view = await own.get();
  assert.deepEqual([view.status, view.players[0].takeover], ["finished", null]);
});
