// Errors, and what the client refuses before it sends anything. Needs no server.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { inspect } from "node:util";

import { ApiError, ConnectionFailedError, EventFollower, HistoryLostError, InvalidAddressError, Skye, SkyeError, UnexpectedResponseError, isKnown, newKey } from "skye-client";

const problem = {
  code: "invalid_body", detail: "The body is invalid; `errors` lists the causes.",
  errors: [{ pointer: "/players/0/name", detail: "Too long." }, { name: "limit", detail: "Not a number." }],
};

/** Return a client whose server sends one response, and the requests that it got. */
function answering(body, init) {
  const requests = [];
  const fetch = async (url, request) => { requests.push({ url, ...request }); return new Response(body, init); };
  return { client: new Skye("http://test", { fetch }), requests };
}

test("the message of an ApiError has every cause", () => {
  const { message, detail } = new ApiError(422, problem);
  assert.equal(message, "422 invalid_body: The body is invalid; `errors` lists the causes.\n  /players/0/name: Too long.\n  limit: Not a number.");
  assert.equal(detail, problem.detail);
});

test("all errors are a SkyeError with their own name", () => {
  for (const error of [new ApiError(404, {}), new ConnectionFailedError("cut"), new HistoryLostError(), new UnexpectedResponseError("text")]) {
    assert.ok(error instanceof SkyeError);
    assert.equal(error.name, error.constructor.name);
  }
});

test("the error without a server names its address, and what to start on this machine", () => {
  const refused = (url) => new ConnectionFailedError(new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } }), url).message;
  assert.equal(refused("http://ann:secret@127.0.0.1:8000/api"), "No server responds at http://127.0.0.1:8000: start one with `skye-server serve`, or `make serve` in a checkout");
  assert.equal(refused("https://skye.example"), "No server responds at https://skye.example");
  assert.equal(new ConnectionFailedError("cut", "http://localhost:1").message, "The server at http://localhost:1 cannot be reached");
});

test("the response of a proxy is an error with its status", async () => {
  const { client } = answering("<h1>Bad Gateway</h1>", { status: 502 });
  await assert.rejects(client.games.list({}, { retry: { attempts: 1 } }), { code: "http_502" });
});

test("Retry-After is a number or a date", () => {
  const ms = (value) => new ApiError(503, {}, new Headers({ "Retry-After": value })).retryAfterMs;
  assert.deepEqual([ms("3"), ms("Sun, 06 Nov 1994 08:49:37 GMT"), ms("soon")], [3000, 0, null]);
  assert.ok(ms("Fri, 31 Dec 2999 23:59:59 GMT") > 0);
});

test("Retry-After without a zone is in UTC", (t) => {
  const { TZ } = process.env;
  t.after(() => { if (TZ === undefined) delete process.env.TZ; else process.env.TZ = TZ; });
  process.env.TZ = "America/New_York";
  t.mock.timers.enable({ apis: ["Date"], now: Date.UTC(1994, 10, 6, 8, 49, 37) });
  assert.equal(new ApiError(503, {}, new Headers({ "Retry-After": "Sun Nov  6 08:50:37 1994" })).retryAfterMs, 60_000);
});

test("an address that cannot be one is refused", () => {
  const urls = ["127.0.0.1:8000", "localhost", "ftp://test", "http://", "", "http://h?x=1", "http://h/#a", "http://a b", "http://h:99999", "http://h:0", "http://h:abc", "http://[::1", "HTTP://h:99999"];
  for (const url of urls) assert.throws(() => new Skye(url), InvalidAddressError);
});

test("the scheme of an address has no case", () => {
  assert.equal(new Skye(" HTTP://127.0.0.1:9201/Api/ ").transport.url, "http://127.0.0.1:9201/Api");
});

test("a path that would change the host is not sent", async () => {
  const { client, requests } = answering("{}"), seat = client.game("g", newKey()).seat(0);
  for (const href of [undefined, "", "@example.org/", "https://example.org/"]) {
    await assert.rejects(seat.act({ method: "PUT", href }), InvalidAddressError);
  }
  await assert.rejects(new EventFollower(client.transport, "v1/games/g", null)[Symbol.asyncIterator]().next(), InvalidAddressError);
  assert.deepEqual(requests, []);
});

test("a body that JSON has not is not sent", async () => {
  const { client, requests } = answering("{}");
  await assert.rejects(client.games.create({ seats: 1n }), TypeError);
  assert.equal(requests.length, 0);
});

test("a success that is not JSON is not repeated", async () => {
  const { client, requests } = answering("<h1>Welcome</h1>");
  await assert.rejects(client.games.list(), UnexpectedResponseError);
  assert.equal(requests.length, 1);
});

test("a request names the client, and the version that the game must have", async () => {
  const { client, requests } = answering("{}");
  await client.game("g").start({ ifMatch: 7 });
  assert.match(requests[0].headers["User-Agent"], /^skye-client-js\/1/);
  assert.equal(requests[0].headers["If-Match"], '"7"');
});

test("console.log shows no token", () => {
  const client = new Skye("http://test"), key = newKey();
  const player = client.player(key), game = client.game("g", key);
  const shown = inspect([player, game, game.seat(1), game.events(), player.games, player.leagues, player.events()], { depth: 9 });
  assert.ok(!shown.includes(key));
  assert.equal(player.key, key);
  assert.equal(game.token, key);
});

test("the package exports its package.json, of the version that requests name", async () => {
  const { client, requests } = answering("{}");
  await client.games.list();
  const { version } = createRequire(import.meta.url)("skye-client/package.json");
  assert.equal(requests[0].headers["User-Agent"], `skye-client-js/${version}`);
});

test("types of this version are known", () => {
  assert.ok(isKnown({ type: "pass", href: "/", method: "POST" }));
  assert.ok(isKnown({ type: "your_turn", id: "1-7", at: "" }));
  assert.ok(isKnown({ type: "game_created", id: 1, at: "" }));
  assert.ok(!isKnown({ type: "your_turn", id: 1, at: "" }));
  assert.ok(!isKnown({ type: "dance", href: "/", method: "POST" }));
  assert.ok(!isKnown({ type: "constructor", href: "/", method: "POST" }));
});
