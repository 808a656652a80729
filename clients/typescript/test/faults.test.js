// Faults that the server adds on request: it must be a lab (SKYE_LAB=on).
import assert from "node:assert/strict";
import { test } from "node:test";

import { Skye } from "skye-client";
import { SERVER, direct, newGame } from "./support.js";

/** Return a client whose first request asks for a fault, and the faults that its requests asked for. */
function faulty(fault, options = {}) {
  const faults = [fault];
  const sent = [];
  const fetch = async (url, init) => {
    const asked = faults.length ? { "Skye-Fault": faults.pop() } : {};
    sent.push(asked);
    return globalThis.fetch(url, { ...init, headers: { ...init.headers, ...asked } });
  };
  const retry = { attempts: 1000, baseMs: 20, maxMs: 100, budgetMs: 180_000 };
  return { skye: new Skye(SERVER, { fetch, retry, ...options }), sent };
}

for (const fault of ["drop", "status=503", "delay_before_ms=1000", "delay_after_ms=1000"]) {
  test(`a game is created once in spite of ${fault}`, async () => {
    const { skye } = faulty(fault, { timeoutMs: fault.startsWith("delay") ? 900 : 15_000 });
    const name = `TypeScript ${fault}`;
    const created = await skye.games.create({ name, players: [{ name: "Ann" }, { name: "Bob" }], auto_start: true });
    const { games } = await direct.games.list({ limit: 100 });
    assert.deepEqual(games.filter((game) => game.name === name).map((game) => game.id), [created.game.id]);
  });
}

test("a body that arrives too slowly is fetched again", async () => {
  const { id } = await newGame();
  const { skye, sent } = faulty("bytes_per_s=64", { timeoutMs: 1000 });
  assert.equal((await skye.game(id).get()).id, id);
  assert.ok(sent.length > 1, "the body of the first response takes many seconds");
});

for (const fault of ["cut_after=2", "silence_after=1", "heartbeats_after=1, hold_ms=900"]) {
  test(`events follow each other in spite of ${fault}`, async () => {
    const { id, host } = await newGame(1, { players: [{ name: "Ann" }, { bot: "random" }] });
    const { skye, sent } = faulty(fault);
    setTimeout(() => direct.game(id, host).abort(), 200);
    const seen = [];
    for await (const event of skye.game(id).events({ silenceMs: 1200 })) seen.push(event.id);
    const { events } = await direct.transport.json("GET", `/v1/games/${id}/events`, { query: { limit: 1000 } });
    assert.deepEqual(seen, events.map((event) => event.id));
    assert.ok(sent.length > 1, "the stream was replaced");
  });
}
