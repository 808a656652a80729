// Requests of webhooks, as the reference implementation of Standard Webhooks signs them. Needs no server.
import assert from "node:assert/strict";
import { once } from "node:events";
import http2 from "node:http2";
import { test } from "node:test";

import fc from "fast-check";
import { InvalidWebhookError, webhooks } from "skye-client";
import { Webhook } from "standardwebhooks";

const body = JSON.stringify({ type: "your_turn", data: { name: "é" } });
const newSecret = () => `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`;

function signed(secret, at = new Date(), text = body) {
  return {
    "webhook-id": "msg_1", "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("msg_1", at, text),
  };
}

test("a message signed by standardwebhooks is unwrapped", async () => {
  const secret = newSecret(), headers = signed(secret);
  assert.deepEqual(await webhooks.unwrap(body, headers, secret), JSON.parse(body));
  assert.deepEqual(await webhooks.unwrap(new TextEncoder().encode(body), new Headers(headers), newSecret(), secret), JSON.parse(body));
});

test("an altered, old or unsigned request is refused", async () => {
  const secret = newSecret(), headers = signed(secret);
  for (const [altered, text] of [
    [headers, body.replace("your", "my")], [{ ...headers, "webhook-id": "msg_2" }, body], [{}, body],
    [{ ...headers, "webhook-signature": "v1,!!" }, body], [{ ...headers, "webhook-signature": "" }, body],
    [{ ...headers, "webhook-timestamp": "x" }, body], [signed(secret, new Date(Date.now() - 360_000)), body],
    [signed(newSecret()), body],
  ]) await assert.rejects(webhooks.unwrap(text, altered, secret), InvalidWebhookError);
});

test("a secret that is missing, or cannot be one, is refused as such", async () => {
  const headers = signed(newSecret());
  for (const secret of [undefined, null, 5, "", "whsec_!!"]) {
    await assert.rejects(webhooks.unwrap(body, headers, newSecret(), secret), { name: "InvalidCredentialError", message: /secret of the webhook/ });
  }
});

test("a message that comes by HTTP/2 is unwrapped", async () => {
  const secret = newSecret(), server = http2.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const session = http2.connect(`http://127.0.0.1:${server.address().port}`);
  session.request({ ":method": "POST", ":path": "/", ...signed(secret) }).end(body);
  const [request, response] = await once(server, "request");
  const chunks = await request.toArray();
  assert.deepEqual(await webhooks.unwrap(Buffer.concat(chunks), request.headers, secret), JSON.parse(body));
  response.end();
  session.close();
  server.close();
});

test("whatever an unsigned request has, it is refused as such", async () => {
  const secret = newSecret(), headers = signed(secret), names = Object.keys(headers);
  const odd = fc.oneof(
    fc.string({ unit: "binary" }), fc.string(), fc.bigInt({ min: 0n }).map(String), fc.integer(), fc.constantFrom(null, undefined, Symbol("x"), {}, "\ud800"),
    fc.constantFrom("9".repeat(400), "1e400", "0x10", "١٢", "v1,", "v1,é", "v1,".repeat(1000)), fc.array(fc.string(), { maxLength: 3 }),
  );
  const bodies = fc.oneof(fc.string(), fc.uint8Array(), fc.anything());
  const refused = (...request) => assert.rejects(webhooks.unwrap(...request, secret), InvalidWebhookError);
  await fc.assert(fc.asyncProperty(fc.constantFrom(...names), odd, bodies, async (name, value, other) => {
    const altered = { ":path": "/", [Symbol("x")]: 1, other: "✓", ...headers, [name]: value };
    if (value !== headers[name]) await refused(body, altered);
    if (other !== body) await refused(other, headers);
  }), { numRuns: 200 });
  await fc.assert(fc.asyncProperty(fc.anything(), (value) => refused(body, value)), { numRuns: 200 });
});

test("a signed body that is no object of JSON is refused", async () => {
  const secret = newSecret();
  for (const text of ["[", "[]", "5", "null"]) await assert.rejects(webhooks.unwrap(text, signed(secret, undefined, text), secret), InvalidWebhookError);
});

test("the bytes of a body are signed, and the headers of any package read", async () => {
  const secret = newSecret(), text = `\ufeff${body}`, headers = signed(secret, undefined, text);
  const bytes = new TextEncoder().encode(text), other = { get: (name) => headers[name] ?? null };
  for (const each of [bytes, bytes.buffer, Buffer.from(bytes), text]) {
    assert.deepEqual(await webhooks.unwrap(each, other, secret.replace(/=+$/, "")), JSON.parse(body));
  }
});
