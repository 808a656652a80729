// What the client does on its own between a program and a server: the table of the README. Needs no server of the API.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { ApiError, InvalidAddressError, Skye, SkyeError, UnexpectedResponseError } from "skye-client";

const SECRET = "l6yOVLPmm-CEdpKcTgB-IA";
const MAX_BODY = 16 * 1024 * 1024;
const TOO_LARGE = gzipSync(`data: ${"x".repeat(MAX_BODY)}`, { level: 1 });

/** The ways in which the client reads a response. @type {Record<string, (skye: Skye) => Promise<unknown>>} */
const USES = {
  request: (skye) => skye.player().games.create({ players: [] }),
  text: (skye) => skye.game("g").seat(0).territorySvg(),
  stream: (skye) => first(skye.game("g").events()),
  "stream of a player": (skye) => first(skye.player().events()),
  export: (skye) => first(skye.leagues.records()),
};

/** @param {AsyncIterable<unknown>} items */
async function first(items) {
  for await (const item of items) return item;
}

/**
 * Start a server that sends one response; return its address and the requests that it gets.
 *
 * @param {import("node:test").TestContext} t
 * @param {(response: import("node:http").ServerResponse, request: import("node:http").IncomingMessage) => void} answer
 */
async function serving(t, answer) {
  /** @type {import("node:http").IncomingMessage[]} */
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(request);
    request.resume().on("end", () => answer(response, request));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
  t.after(() => { server.closeAllConnections(); server.close(); });
  return { url: `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`, requests };
}

for (const [way, use] of Object.entries(USES)) {
  for (const status of [301, 302, 303, 307, 308]) {
    test(`a redirect of status ${status} is an error of a ${way}, and is never followed`, async (t) => {
      const Location = `https://ann:${SECRET}@elsewhere.example/v1/games?token=${SECRET}#${SECRET}`;
      const { url, requests } = await serving(t, (response) => response.writeHead(status, { Location }).end());
      await assert.rejects(use(new Skye(url)), (error) => {
        assert.ok(error instanceof UnexpectedResponseError);
        assert.match(error.message, /redirects to "https:.*elsewhere\.example\/v1\/games" \(status 30/);
        assert.ok(!String(error.stack).includes(SECRET));
        return true;
      });
      assert.equal(requests.length, 1);
    });
  }

  test(`a redirect is an error of a ${way} in a browser, which hides it, and after a fetch that follows it`, async () => {
    const hidden = Object.defineProperties(new Response(null), { type: { value: "opaqueredirect" }, status: { value: 0 }, ok: { value: false } });
    const followed = Object.defineProperty(new Response('{"games": []}'), "redirected", { value: true });
    for (const response of [hidden, followed]) {
      let requests = 0;
      const fetch = async () => { requests += 1; return response; };
      await assert.rejects(use(new Skye("http://test", { fetch })), { name: "UnexpectedResponseError", message: /the server redirects\. / });
      assert.equal(requests, 1);
    }
  });

  for (const status of [200, 503]) {
    test(`a body over 16 MiB of a ${way} with status ${status}, decompressed, is an error`, async (t) => {
      const headers = { "Content-Type": "text/event-stream", "Content-Encoding": "gzip" };
      const { url, requests } = await serving(t, (response) => response.writeHead(status, headers).end(TOO_LARGE));
      await assert.rejects(use(new Skye(url)), { name: "UnexpectedResponseError", message: /more than 16777216 bytes/ });
      assert.equal(requests.length, 1);
    });
  }
}

test("a body of 16 MiB is read", async (t) => {
  const body = gzipSync(JSON.stringify("x".repeat(MAX_BODY - 2)), { level: 1 });
  const { url } = await serving(t, (response) => response.writeHead(200, { "Content-Encoding": "gzip" }).end(body));
  assert.equal((await new Skye(url).transport.json("GET", "/v1/games")).length, MAX_BODY - 2);
});

test("a cookie of a server is not sent to it", async (t) => {
  const { url, requests } = await serving(t, (response) => response.writeHead(200, { "Set-Cookie": "balancer=2" }).end("{}"));
  await new Skye(url).games.list();
  await new Skye(url).games.list();
  assert.deepEqual(requests.map(({ headers }) => headers.cookie), [undefined, undefined]);
});

test("a method has no case, and a GET has no Idempotency-Key", async (t) => {
  const { url, requests } = await serving(t, (response) => response.end("{}"));
  await new Skye(url).transport.json("patch", "/v1/games");
  await new Skye(url).transport.json("get", "/v1/games");
  assert.deepEqual(requests.map(({ method, headers }) => [method, "idempotency-key" in headers]), [["PATCH", true], ["GET", false]]);
});

test("what fetch refuses to send is an error at once", async () => {
  await assert.rejects(new Skye("http://127.0.0.1:6000").games.list(), { name: "ConnectionFailedError", message: /sends nothing to the port of http:\/\/127\.0\.0\.1:6000/ });
  await assert.rejects(new Skye("http://127.0.0.1:9").games.create({}, { idempotencyKey: "é\n" }), SkyeError);
});

test("many requests with one signal warn of no leak, and all end with it", async (t) => {
  /** @type {string[]} */
  const warnings = [];
  const warned = (/** @type {Error} */ warning) => warnings.push(warning.name);
  process.on("warning", warned);
  t.after(() => process.off("warning", warned));
  const { url, requests } = await serving(t, () => {}); // never responds
  const stop = new AbortController(), skye = new Skye(url);
  const signals = { signal: stop.signal };
  const ends = Array.from({ length: 30 }, () => skye.games.list({}, signals).then(() => "ended", (error) => error.name));
  while (requests.length < 30) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  assert.deepEqual([...new Set(await Promise.all(ends))], ["AbortError"]);
  assert.deepEqual(warnings.filter((name) => name.startsWith("MaxListeners")), []);
  await assert.rejects(skye.games.list({}, signals), { name: "AbortError" });
});

test("requests that have ended leave no listener on their signal", async (t) => {
  const { url } = await serving(t, (response) => response.end('{"games": []}'));
  const stop = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = stop.signal;
  Object.assign(stop.signal, {
    addEventListener(/** @type {[any, any, any]} */ ...given) { listeners += 1; return addEventListener.apply(stop.signal, given); },
    removeEventListener(/** @type {[any, any]} */ ...given) { listeners -= 1; return removeEventListener.apply(stop.signal, given); },
  });
  for (let number = 0; number < 3; number++) await Promise.all(Array.from({ length: 5 }, () => new Skye(url).games.list({}, { signal: stop.signal })));
  assert.equal(listeners, 0);
});

test("an error response whose body is cut is an error with its status", async (t) => {
  const { url, requests } = await serving(t, (response) => {
    response.writeHead(404, { "Content-Length": "100" }).write('{"code": "');
    setTimeout(() => response.destroy(), 50);
  });
  await assert.rejects(new Skye(url).games.list(), (error) => error instanceof ApiError && error.status === 404);
  assert.equal(requests.length, 1);
});

test("an address with a user is refused without showing it", () => {
  for (const where of [`ann:${SECRET}@h`, `${SECRET}@h`, `ann:a/${SECRET}@h`, `ann:a@${SECRET}@h`, `ann:${SECRET}@h/v1`]) {
    assert.throws(() => new Skye(`http://${where}`), (/** @type {any} */ error) => {
      assert.ok(error instanceof InvalidAddressError && /user name/.test(error.message));
      return !error.message.includes(SECRET) && error.cause === undefined;
    });
  }
});

test("an address that ends in the version is refused with the right one", () => {
  for (const end of ["/v1", "/v1/", "/v1// "]) {
    assert.throws(() => new Skye(`https://skye.example/api${end}`), { name: "InvalidAddressError", message: /use "https:\/\/skye\.example\/api"/ });
  }
});
