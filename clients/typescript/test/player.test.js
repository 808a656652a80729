import assert from "node:assert/strict";
import { test } from "node:test";

import { HistoryLostError, Skye } from "skye-client";
import { cuttingProxy } from "./cutting-proxy.js";
import { SERVER, direct } from "./support.js";

const persistent = { retry: { attempts: 100, baseMs: 10, maxMs: 100, budgetMs: 600_000 } };
const alone = { players: [{ name: "Ann" }, { bot: "random" }], auto_start: true };

/** Return the first events of a player. */
async function first(player, count, options) {
  const seen = [];
  for await (const event of player.events(options)) {
    seen.push(event);
    if (seen.length === count) break;
  }
  return seen;
}

test("players of matched tickets play over one stream", async () => {
  const [ann, bob] = [direct.player(), direct.player()];
  const criteria = { seat_count: 2, options: { turn_ms: 78_000 } };
  const waiting = await ann.createTicket({ name: "Ann", ...criteria });
  assert.equal(waiting.status, "waiting");
  assert.deepEqual(await ann.tickets(), [waiting]);
  const matched = await bob.createTicket({ name: "Bob", ...criteria });
  assert.equal((await ann.ticket(waiting.id)).game_id, matched.game_id);
  const [taken, turn] = await first(ann, 2);
  assert.deepEqual([taken.type, turn.type, turn.game_id], ["seat_taken", "your_turn", matched.game_id]);
  const seat = ann.game(turn.game_id).seat(turn.seat);
  await seat.act((await seat.actions())[0]);
  assert.equal((await ann.games.list()).games[0].game.id, matched.game_id);
});

test("a ticket can be cancelled", async () => {
  const player = direct.player();
  const ticket = await player.createTicket({ name: "Ann", seat_count: 5 });
  assert.equal((await player.cancelTicket(ticket.id)).status, "cancelled");
});

test("a player has a profile until it is deleted", async () => {
  const player = direct.player();
  const name = `player-${Math.random().toString(36).slice(2, 10)}`;
  const profile = await player.putProfile({ name, bot: true, description: "A test" });
  assert.deepEqual([profile.name, profile.bot, profile.description], [name, true, "A test"]);
  assert.deepEqual(await player.profile(), profile);
  await player.deleteProfile();
  await assert.rejects(player.profile(), { code: "profile_not_found" });
});

test("past games and statistics of a player", async () => {
  const player = direct.player();
  for (let number = 0; number < 3; number++) {
    const { game } = await player.games.create(alone), seat = player.game(game.id).seat(0);
    await seat.act((await seat.actions())[0]); // a game without a decision of a person enters no history
    await seat.resign();
  }
  const ids = [];
  for await (const { game_id: id, players } of player.games.allPast()) {
    ids.push(id);
    assert.equal(players[0].end.type, "resigned");
  }
  assert.equal(new Set(ids).size, 3);
  assert.deepEqual((await player.games.listPast({ limit: 1 })).games.map((game) => game.game_id), ids.slice(0, 1));
  assert.equal((await player.statistics()).games, 3);
});

test("events of a player arrive once through cuts, and after a lost one not at all", async (t) => {
  const proxy = await cuttingProxy(SERVER);
  t.after(() => proxy.close());
  const player = direct.player();
  for (let number = 0; number < 10; number++) await player.games.create(alone);
  proxy.state.mode = "cut";
  const seen = await first(new Skye(proxy.url, persistent).player(player.key), 20);
  assert.deepEqual(seen.map(({ id }) => parseInt(id, 10)), Array.from(seen, (_, number) => number + 1));
  await assert.rejects(first(player, 1, { after: "7-7" }), HistoryLostError);
});

test("a replaced key is refused, and the new one has the games", async () => {
  const player = direct.player();
  const { game } = await player.games.create(alone);
  const old = direct.player(player.key);
  await player.replaceKey();
  assert.equal((await player.games.list()).games.length, 1);
  await assert.rejects(first(old, 1), { code: "token_unknown" });
  await player.game(game.id).abort();
  assert.notEqual((await player.game(game.id).rematch()).game.id, game.id);
});
