// The client gets every event, however its connections are cut. Needs no server.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Skye, UnexpectedResponseError } from "skye-client";
import { HEAD_BYTES, flakyFetch } from "./flaky-server.js";
import { sleep } from "../../src/transport.js";
import { simulatedTime } from "./simulated-time.js";

const MAX_SIZE = 600;
/** More than what is around one event: the first message of a stream, or the other fields of a page. */
const FRAME_BYTES = 200;

/** Return a generator of random integers from 0 to below a number (mulberry32). */
function dice(seed) {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Return a random server, where one of a few connections lives long enough for one event. */
function randomServer(seed) {
  const random = dice(seed);
  const many = (count, one) => Array.from({ length: count }, one);
  const blocked = [undefined, "stream", "poll"][random(3)];
  const happened = many(1 + random(30), () => random(2) * random(100_000)).sort((one, other) => one - other);
  const repeated = many(blocked ? 0 : random(4), () => ({ bytes: random(6000), ms: random(60_000) }));
  const longEnough = HEAD_BYTES + FRAME_BYTES + MAX_SIZE;
  repeated.splice(random(repeated.length + 1), 0, { bytes: longEnough + random(5000), ms: 1000 + random(60_000) });
  const first = many(random(9), () => ({ bytes: random(2000), ms: random(1000) }));
  // Each connection that lives long enough delivers an event, or makes the next page smaller, or takes some time.
  const needed = 4 * happened.length + 20 + happened.at(-1) / 250;
  const maxConnections = first.length + repeated.length * needed;
  return { happened, size: random(MAX_SIZE), first, repeated, isOfPlayer: random(2) === 1, blocked, blockedBytes: random(HEAD_BYTES + 50), maxConnections };
}

/** Return the numbers of the events of a server, in the order in which a client yields them. */
async function seenOf(time, server) {
  const skye = new Skye("http://test", { fetch: flakyFetch(time, server) });
  const seen = [];
  for await (const event of server.isOfPlayer ? skye.player("key").events() : skye.game("g").events()) {
    seen.push(parseInt(event.id, 10));
    if (server.isOfPlayer && seen.length === server.happened.length) break;
  }
  return seen;
}

test("every event arrives once and in order through cuts", async (t) => {
  const time = simulatedTime();
  t.after(time.restore);
  for (let seed = 0; seed < 100; seed++) {
    const server = randomServer(seed);
    time.now = 0;
    const numbers = server.happened.map((_, index) => index + 1);
    assert.deepEqual(await seenOf(time, server), numbers, `seed ${seed}`);
    assert.ok(time.now <= server.happened.at(-1) + server.maxConnections * 60_000, `seed ${seed}`);
  }
});

/** Return the ids of the events that a client yields whose requests get these responses in turn, the last one repeatedly. */
async function idsOf(responses) {
  let sent = 0;
  const skye = new Skye("http://test", { fetch: async () => responses[Math.min(sent++, responses.length - 1)].clone() });
  const ids = [];
  for await (const { id } of skye.game("g").events()) ids.push(id);
  return ids;
}

const stream = (/** @type {string} */ text) => new Response(text, { headers: { "Content-Type": "text/event-stream" } });
const page = new Response("<h1>Maintenance</h1>", { headers: { "Content-Type": "text/html" } });

test("an iteration that has begun outlives the page of a proxy", async (t) => {
  t.after(simulatedTime().restore);
  const first = stream('event: stream\ndata: {"last_event":2}\n\ndata: {"id":1}\n\n');
  const rest = stream('event: stream\ndata: {"last_event":2}\n\ndata: {"id":2}\n\nevent: end\ndata: {"reason":"finished","resume":"stop"}\n\n');
  assert.deepEqual(await idsOf([first, page, page, page, page, rest]), [1, 2]);
});

test("an iteration waits although Retry-After is 0", async (t) => {
  const time = simulatedTime();
  t.after(time.restore);
  const busy = new Response("{}", { status: 503, headers: { "Retry-After": "0" } });
  const end = stream('event: end\ndata: {"reason":"finished","resume":"stop"}\n\n');
  assert.deepEqual(await idsOf([busy, end]), []);
  assert.ok(time.now > 0);
});

test("an iteration over what is not the API fails", async (t) => {
  t.after(simulatedTime().restore);
  await assert.rejects(idsOf([page]), UnexpectedResponseError);
});

test("an event with any line separator of Unicode is one event", async () => {
  const event = { id: 1, type: "game_finished", name: "a\u2028b\u2029c\u0085d" };
  const text = `event: stream\ndata: {"last_event":1}\n\ndata: ${JSON.stringify(event)}\n\nevent: end\ndata: {"reason":"over","resume":"none","last_event":1}\n\n`;
  const responses = [new Response(text, { headers: { "Content-Type": "text/event-stream" } })];
  const fetch = async () => responses.pop() ?? Response.json({ code: "game_not_found" }, { status: 404 });
  const { value } = await new Skye("http://test", { fetch }).game("g").events()[Symbol.asyncIterator]().next();
  assert.deepEqual(value, event);
});

test("a wait of years does not end at once", async () => {
  const stop = new AbortController();
  let isOver = false;
  const waiting = sleep(2 ** 40, stop.signal).then(() => { isOver = true; }, () => {});
  await sleep(20);
  assert.equal(isOver, false);
  stop.abort();
  await waiting;
});
