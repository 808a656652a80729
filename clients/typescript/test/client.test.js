import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError, ConnectionFailedError, GameView, HistoryLostError, Skye, fold } from "skye-client";
import { cuttingProxy } from "./cutting-proxy.js";
import { SERVER, direct, newGame, step } from "./support.js";

const quick = { retry: { attempts: 12, baseMs: 10, maxMs: 100 } };
const persistent = { retry: { attempts: 100, baseMs: 10, maxMs: 100, budgetMs: 600_000 } };

/** Answer requests from a list; return the client and what was sent. */
function scripted(answers) {
  const sent = [];
  const fetch = async (url, init) => {
    sent.push({ url, ...init });
    const answer = answers[Math.min(sent.length, answers.length) - 1];
    if (answer instanceof Error) throw answer;
    return answer.clone();
  };
  return { skye: new Skye("http://test", { fetch, ...quick }), sent };
}
const problem = (status, code, headers = {}) =>
  new Response(JSON.stringify({ status, code, detail: "No.", params: { tile: "L01" } }), { status, headers });
const ok = (body) => new Response(JSON.stringify(body));

test("a whole game is played over a proxy that cuts connections at random", { timeout: 600_000 }, async (t) => {
  const proxy = await cuttingProxy(SERVER);
  t.after(() => proxy.close());
  const game = await newGame(3);
  const skye = new Skye(proxy.url, persistent);
  const views = await Promise.all([...game.tokens, null].map((token) => GameView.open(skye.game(game.id, token))));
  proxy.state.mode = "cut";
  const followed = views.map(async (view) => {
    const seen = [view.data.last_event];
    for await (const event of view.follow()) if (event) seen.push(event.id);
    return seen;
  });
  while (await step(game, skye));
  for (const [index, seen] of (await Promise.all(followed)).entries()) {
    assert.deepEqual(seen, Array.from(seen, (_, number) => seen[0] + number), "no gap, no repeat");
    const { now: _, ...current } = await direct.game(game.id, [...game.tokens, null][index]).get();
    const { now: __, ...kept } = views[index].data;
    assert.deepEqual(kept, current);
  }
  assert.ok(proxy.state.cuts > 20, `${proxy.state.cuts} cuts`);
});

test("a half-open stream is noticed and replaced", async (t) => {
  const proxy = await cuttingProxy(SERVER);
  t.after(() => proxy.close());
  const game = await newGame();
  const stop = new AbortController();
  let silenced = false, noticed = false; // on a slow machine a stream may seem dead before
  const events = new Skye(proxy.url).game(game.id).events({
    silenceMs: 1000, signal: stop.signal,
    onState: (state) => {
      if (state === "reconnecting" && silenced) { noticed = true; proxy.state.mode = "pass"; }
      else if (state !== "reconnecting" && noticed) stop.abort();
      else if (state === "live") { silenced = true; proxy.state.mode = "silent"; }
    },
  });
  await assert.rejects(async () => { for await (const _ of events); }, { name: "AbortError" });
  assert.ok(noticed);
});

test("events arrive by long poll where streams do not get through", async () => {
  const game = await newGame();
  const fetch = (url, init) =>
    init.headers.Accept === "text/event-stream" ? Promise.resolve(new Response("a proxy's page")) : globalThis.fetch(url, init);
  const states = [];
  const events = new Skye(SERVER, { fetch }).game(game.id).events({ onState: (state) => states.push(state) });
  const seen = [];
  for await (const event of events) {
    seen.push(event.id);
    if (event.type === "turn_changed") step(game);
    if (seen.length > 20) break;
  }
  assert.deepEqual(seen, Array.from(seen, (_, number) => number + 1));
  assert.ok(states.includes("polling"));
});

test("a lost answer to a write is asked for again under the same key", async () => {
  const game = await newGame();
  const keys = [];
  const fetch = async (url, init) => {
    const response = await globalThis.fetch(url, init);
    if (init.method === "GET") return response;
    keys.push(init.headers["Idempotency-Key"]);
    if (keys.length === 1) throw new TypeError("cut");
    return response;
  };
  const seat = new Skye(SERVER, { fetch, ...quick }).game(game.id, game.tokens[0]).seat(0);
  const actions = await seat.actions();
  const before = (await direct.game(game.id).get()).version;
  assert.equal((await seat.act(actions[0])).version, before + 1);
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
});

test("Retry-After is obeyed, and other errors are not retried", async () => {
  const busy = scripted([problem(503, "store_unavailable", { "Retry-After": "0" }), ok({ id: "g" })]);
  assert.deepEqual(await busy.skye.game("g").get(), { id: "g" });
  assert.equal(busy.sent.length, 2);
  const refused = scripted([problem(409, "wrong_phase", { "X-Request-Id": "r1" })]);
  await assert.rejects(refused.skye.game("g", "t").seat(0).passTurn(), (error) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.code, error.status, error.requestId, error.params.tile], ["wrong_phase", 409, "r1", "L01"]);
    return true;
  });
  assert.equal(refused.sent.length, 1);
  assert.equal(refused.sent[0].headers.Authorization, "Bearer t");
});

test("retries are bounded", async () => {
  const { skye, sent } = scripted([new TypeError("no network")]);
  await assert.rejects(skye.games.list(), ConnectionFailedError);
  assert.equal(sent.length, quick.retry.attempts);
});

test("a stream that lost its history fails, and a view loads again", async () => {
  const stream = (text) => new Response(text, { headers: { "Content-Type": "text/event-stream" } });
  const lost = 'event: end\ndata: {"reason":"history_lost","resume":"reload","last_event":3}\n\n';
  const { skye } = scripted([stream(lost)]);
  await assert.rejects(async () => { for await (const _ of skye.game("g").events({ after: 3 })); }, HistoryLostError);
  const behind = 'event: stream\ndata: {"last_event":2,"after":3}\n\n';
  const over = 'event: end\ndata: {"reason":"finished","resume":"stop","last_event":2}\n\n';
  const again = scripted([ok({ last_event: 3 }), stream(behind), ok({ last_event: 2 }), stream(over)]);
  const view = await GameView.open(again.skye.game("g"));
  const seen = [];
  for await (const event of view.follow()) seen.push(event);
  assert.deepEqual([seen, view.data.last_event], [[null], 2]);
});

test("a token that is no longer known ends the iteration", async () => {
  const game = await newGame(2, { auto_start: false });
  const events = direct.game(game.id, game.tokens[1]).events();
  await assert.rejects(async () => {
    for await (const event of events) {
      if (event.id === 3) await direct.game(game.id, game.tokens[1]).seat(1).leave();
    }
  }, (error) => error instanceof ApiError && error.code === "token_unknown");
});

test("events, actions and fields that are new do no harm", async () => {
  const game = await newGame();
  const view = await direct.game(game.id).get();
  const before = structuredClone(view);
  const at = "2027-01-15T08:00:00.000Z";
  fold(view, { id: view.last_event + 1, version: view.version + 1, at, type: "weather_changed", rain: true });
  assert.deepEqual(view, { ...before, last_event: before.last_event + 1, version: before.version + 1, now: at });
  const { skye, sent } = scripted([ok({ id: "g", weather: "rain" })]);
  const action = { type: "dance", method: "PATCH", href: "/v1/games/g/players/0/dance", body: { steps: 3 } };
  assert.equal((await skye.game("g", "t").seat(0).act(action)).weather, "rain");
  assert.deepEqual([sent[0].method, sent[0].url, sent[0].body], ["PATCH", "http://test" + action.href, '{"steps":3}']);
});

test("a view takes back a seat that was taken over", async () => {
  const options = { turn_ms: 60_000, clock: "manual" };
  const created = await direct.games.create({ players: [{ name: "Ann" }, { bot: "random" }], auto_start: true, options });
  const before = await direct.game(created.game.id, created.host_token).advanceClock(60_000);
  assert.notEqual(before.players[0].takeover, null);
  const view = await GameView.open(direct.seats(created)[0].game);
  assert.ok(await view.untilMyTurn());
  assert.deepEqual([view.myTurn, view.data.players[0].takeover], [true, null]);
});

test("a player waits for its turn and plays a game to its end", async () => {
  const created = await direct.games.create({ players: [{ name: "Ann" }, { bot: "random" }], auto_start: true });
  const view = await GameView.open(direct.seats(created)[0].game);
  while (await view.untilMyTurn()) {
    const actions = await view.actions();
    await view.act(actions.find(({ type }) => type !== "take_back") ?? actions[0]);
  }
  assert.equal(view.data.status, "finished");
  assert.ok(view.data.result);
});

test("a view that acts while it follows stays current", async () => {
  const created = await direct.games.create({ players: [{ name: "Ann" }, { bot: "random" }], auto_start: true });
  const view = await GameView.open(direct.seats(created)[0].game);
  const ids = [view.data.last_event];
  await view.seat.act((await view.actions())[0]);
  for await (const { id } of view.follow()) {
    ids.push(id);
    assert.ok(view.data.last_event >= id);
    if (!view.myTurn) continue;
    const moves = (await view.actions()).filter(({ type }) => type !== "take_back");
    await view.act(moves[Math.floor(Math.random() * moves.length)]);
  }
  assert.deepEqual(ids, Array.from(ids, (_, number) => ids[0] + number));
  const { now: _, actions: __, ...kept } = view.data, { now: ___, ...current } = await view.game.get();
  assert.deepEqual(kept, current);
});

test("a view that repeats an action, or loads while it follows, stays current", async () => {
  const [mine, rival] = direct.seats(await direct.games.create({ players: [{ name: "Ann" }, { name: "Bob" }], auto_start: true }));
  const letRivalAct = async () => rival.act((await rival.actions())[0]);
  const view = await GameView.open(mine.game), [action] = await view.actions();
  await view.act(action, { idempotencyKey: "first-act-of-ann" });
  delete view.data.actions;
  const { last_event } = view.data, get = view.game.get.bind(view.game), events = view.follow();
  view.game.get = async (options) => {
    const loaded = await get(options);
    await letRivalAct();
    await events.next();
    return loaded;
  };
  await view.actions();
  assert.equal(view.data.last_event, last_event + 1);
  await events.return();
  view.game.get = get;
  await view.reload();
  await view.act(action, { idempotencyKey: "first-act-of-ann" });
  const { now: _, ...kept } = view.data, { now: __, ...current } = await get({ query: { include: "actions" } });
  assert.deepEqual(kept, current);
});

test("a view that follows before the response of act needs no GET", async () => {
  const [mine, rival] = direct.seats(await direct.games.create({ players: [{ name: "Ann" }, { name: "Bob" }], auto_start: true }));
  const view = await GameView.open(mine.game), [action] = await view.actions();
  const events = view.follow();
  let later;
  view.game.seat = () => ({
    async act(...options) {
      const accepted = await mine.act(...options);
      await rival.act((await rival.actions())[0]);
      later = accepted.last_event + 1;
      while (view.data.last_event < later) await events.next();
      return accepted;
    },
  });
  view.game.get = () => assert.fail();
  await view.act(action);
  assert.equal(view.data.last_event, later);
  await events.return();
});

test("a seat changes, renews its token, shows its territory and leaves", async () => {
  const lobby = await direct.games.create({ players: [{ name: "Ann" }] });
  const seat = direct.seat(await direct.game(lobby.game.id).join({ name: "Bob" }));
  assert.equal((await seat.change({ name: "Bea" })).players[1].name, "Bea");
  const { token } = seat.game;
  await seat.rotateToken();
  assert.notEqual(seat.game.token, token);
  assert.match(await seat.territorySvg({ coordinates: true }), /^<svg/);
  assert.equal((await seat.leave()).players.filter((player) => player).length, 1);
});

test("all games are listed page by page", async () => {
  const player = direct.player(), games = Array(55).fill({ players: [{ name: "Ann" }, { name: "Bob" }] });
  const created = await player.leagues.create(games);
  const listed = [];
  for await (const { game } of player.games.all()) listed.push(game.id);
  assert.deepEqual(listed.sort(), created.map(({ game_id }) => game_id).sort());
});

test("a game that is over is deleted by its host", async () => {
  const { id, host } = await newGame(1, { players: [{ name: "Ann" }, { bot: "random" }] });
  await direct.game(id, host).abort();
  await direct.game(id, host).delete();
  await assert.rejects(direct.game(id).get(), { code: "game_not_found" });
});

test("every scenario that is listed begins a game", async () => {
  for (const { name, text, position } of await direct.catalogue.scenarios()) {
    const { game } = await direct.games.create({ scenario: name });
    assert.deepEqual(game.origin, { type: "scenario", scenario: name }, text);
    assert.equal((await direct.games.create({ position })).game.round, game.round);
  }
});

test("a position begins a game, and its export begins the same game", async () => {
  const position = { round: 5, phase: "buying", players: [{ gold: 3 }, { gold: 12 }] };
  const begin = async (position) => {
    const created = await direct.games.create({ position });
    return direct.game(created.game.id, created.host_token).position();
  };
  const exported = await begin(position);
  assert.deepEqual([exported.round, exported.phase, exported.players[1].gold], [5, "buying", 12]);
  assert.deepEqual(await begin(exported), exported);
});

test("a manual clock stands until it is advanced", async () => {
  const { id, host } = await newGame(2, { options: { clock: "manual", turn_ms: 60_000 } });
  const game = direct.game(id, host);
  assert.equal((await game.advanceClock(59_999)).phase, "pricing");
  assert.equal((await game.advanceClock(1, { idempotencyKey: "one-millisecond" })).phase, "buying");
  assert.equal((await game.advanceClock(1, { idempotencyKey: "one-millisecond" })).phase, "buying");
  await assert.rejects(direct.game(id).advanceClock(1), (error) => error.code === "token_required");
});

test("a game is shown as it was at an event, and a record is played until a phase", async () => {
  const created = await direct.games.create({ players: [{ bot: "random" }, { bot: "random" }], auto_start: true });
  const game = direct.game(created.game.id);
  assert.equal((await game.at(4)).last_event >= 4, true);
  assert.equal((await game.at(created.game.last_event)).status, "finished");
  const record = await game.record();
  const players = record.players.map((player) => ({ ...player, bot: null }));
  const begun = await direct.games.create({ record: { ...record, players }, stop_at: { round: 3, phase: "building" } });
  assert.deepEqual([begun.game.round, begun.game.phase], [3, "building"]);
});
