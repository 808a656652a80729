// What a program does that plays rated games: it survives outages, and leaves no ticket behind when it ends.
import assert from "node:assert/strict";
import { test } from "node:test";

import { ConnectionFailedError } from "skye-client";

import { ladderOf, playRated } from "../../src/rated.js";
import { simulatedTime } from "./simulated-time.js";

const WAITING = { id: "t1", status: "waiting", game_id: null }, MATCHED = { ...WAITING, status: "matched", game_id: "g1" };
const LIVE_2 = { id: "live_2", seat_count: 2, turn_ms: 120_000 };
const FINISHED = {
  status: "finished", you: { seat: 1 }, players: [{}, {}],
  result: { placing: [{ place: 2, seat: 0 }, { place: 1, seat: 1 }] }, rated: { players: [{ rating: 1500 }, { rating: 1500 }] },
};

/** Answer requests of a player by a script: an exception, or a response; the last one again and again. */
function scripted(tickets, games = []) {
  const next = async (answers) => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const cancelled = [];
  return {
    cancelled,
    createTicket: () => next(tickets), ticket: () => next(tickets), cancelTicket: async (id) => { cancelled.push(id); },
    game: () => ({ get: () => next(games) }),
    ladders: { list: async () => [LIVE_2, { ...LIVE_2, id: "blitz_3" }], player: async () => ({ ratings: [{ ladder: "live_2", rating: 1530 }] }) },
  };
}

test("a program that ends cancels its ticket", async () => {
  const server = scripted([WAITING]), end = new AbortController();
  const playing = playRated(server, server, "ann", LIVE_2, assert.fail, end.signal);
  setImmediate(() => end.abort(new Error("ended")));
  await assert.rejects(playing, /ended/);
  assert.deepEqual(server.cancelled, ["t1"]);
});

test("a result is reported once in spite of outages", async (t) => {
  const time = simulatedTime(), failed = new ConnectionFailedError("no answer"), end = new AbortController(), lines = [];
  t.after(() => time.restore());
  const server = scripted([failed, WAITING, failed, MATCHED, WAITING], [failed, FINISHED]);
  const report = (line) => { lines.push(line); end.abort(new Error("ended")); };
  await playRated(server, server, "ann", LIVE_2, report, end.signal).catch(() => {});
  assert.deepEqual(lines, ["g1: place 1 of 2, rating 1530 (+30)"]);
});

test("the ladders are those of the server", async () => {
  const server = scripted([]), { signal } = new AbortController();
  assert.equal((await ladderOf(server, "blitz_3", signal)).id, "blitz_3");
  await assert.rejects(ladderOf(server, "live_9", signal), { message: 'The server has no ladder "live_9", but live_2, blitz_3' });
});
