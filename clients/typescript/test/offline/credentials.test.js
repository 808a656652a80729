// Credentials are hostile input: what the client sends of them, refuses, and never shows. Needs no server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";

import { ApiError, ConnectionFailedError, EventFollower, InvalidAddressError, InvalidCredentialError, InvalidWebhookError, Leagues, Skye, UnexpectedResponseError, host, webhooks } from "skye-client";

const SECRET = "l6yOVLPmm-CEdpKcTgB-IA", KEY = `skye_key_${SECRET}`;
const WITHIN = (text) => KEY.slice(0, 20) + text + KEY.slice(20);
const REFUSED = ["", " \r\n", WITHIN("\n"), WITHIN("\r"), WITHIN(" "), `${KEY}\0`, `${KEY}é`, `${KEY}\u200b`, `${KEY}\udc80`, `Bearer ${KEY}`, KEY + "a".repeat(10_000)];
const shows = (error) => {
  const text = inspect(error);
  return [SECRET.slice(0, 8), SECRET.slice(-8), KEY.slice(9, 20), "a".repeat(40)].some((part) => text.includes(part));
};

/** Return a client, and the requests that it sends. */
function recording(answer = () => new Response("{}")) {
  const requests = [];
  const fetch = async (url, request) => { requests.push({ url, ...request }); return answer(url, request); };
  return { client: new Skye("http://test", { fetch }), requests };
}

const next = (iterable) => iterable[Symbol.asyncIterator]().next();
const USES = {
  player: (client, key) => client.player(key).get(),
  "new key": (client, key) => client.player().replaceKey(key),
  game: (client, key) => client.game("abc", key).get(),
  "token of a game": (client, key) => Object.assign(client.game("abc"), { token: key }).get(),
  "events of a game": (client, key) => next(new EventFollower(client.transport, "/v1/games/abc", key)),
  option: (client, key) => client.transport.json("GET", "/v1/me", { token: key }),
  "opened response": (client, key) => client.transport.open("GET", "/v1/me", { token: key }),
  records: (client, key) => next(new Leagues(client.transport, key).records()),
  host: (client, key) => host(key, () => null, { url: "http://127.0.0.1:9" }),
};

for (const [name, use] of Object.entries(USES)) {
  test(`a credential that cannot be one is neither sent nor shown: ${name}`, async () => {
    const { client, requests } = recording();
    for (const key of REFUSED) {
      await assert.rejects(async () => use(client, key), (error) => error instanceof InvalidCredentialError && !shows(error));
    }
    assert.deepEqual(requests, []);
  });
}

test("white space around a credential is not sent", async () => {
  const { client, requests } = recording();
  for (const key of [`${KEY}\n`, `${KEY}\r`, `${KEY}\r\n`, ` ${KEY} \t`]) {
    await client.player(key).get();
    await client.game("abc", key).get();
    await client.game("abc").join({ name: "Ann", invite_code: key });
  }
  assert.deepEqual(new Set(requests.map(({ headers }) => headers.Authorization)), new Set([`Bearer ${KEY}`, undefined]));
  assert.ok(requests.filter(({ body }) => body).every(({ body }) => JSON.parse(body).invite_code === KEY));
});

test("an invitation code that cannot be one is refused", () => {
  const { client, requests } = recording();
  for (const key of REFUSED.filter(Boolean)) {
    assert.throws(() => client.game("abc").join({ name: "Ann", invite_code: key }), (error) => error instanceof InvalidCredentialError && !shows(error));
  }
  assert.deepEqual(requests, []);
});

test("errors show no credential that a server or proxy repeats", async () => {
  const answers = [
    [ApiError, (sent) => Response.json({ code: "token_unknown", detail: `${sent} is unknown` }, { status: 401 })],
    [UnexpectedResponseError, (sent) => new Response(`You sent ${sent}`)],
    [ConnectionFailedError, () => { throw new TypeError("fetch failed"); }],
  ];
  for (const [kind, answer] of answers) {
    const { client } = recording((_, { headers }) => answer(headers.Authorization));
    await assert.rejects(client.player(KEY).get({ retry: { attempts: 1 } }), (error) => error instanceof kind && !error.message.includes(SECRET));
  }
  assert.throws(() => new Skye(KEY), (error) => error instanceof InvalidAddressError && !shows(error));
});

test("a webhook secret that cannot be one is refused", async () => {
  const headers = { "webhook-id": "1", "webhook-timestamp": String(Math.floor(Date.now() / 1000)), "webhook-signature": "v1,c2t5" };
  for (const secret of ["", "whsec_é", "whsec_c2\u200bt5"]) {
    await assert.rejects(webhooks.unwrap("{}", headers, secret), InvalidCredentialError);
  }
  await assert.rejects(webhooks.unwrap("{}", headers, "whsec_c2t5ZQ==\n"), InvalidWebhookError);
});
