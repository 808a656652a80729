// Requests of webhooks, as the reference implementation of Standard Webhooks signs them. Needs no server.
import assert from "node:assert/strict";
import { once } from "node:events";
import http2 from "node:http2";
import { test } from "node:test";

import { InvalidWebhookError, webhooks } from "skye-client";
import { Webhook } from "standardwebhooks";

const body = JSON.stringify({ type: "your_turn", data: { name: "é" } });
const newSecret = () => `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`;

function signed(secret, at = new Date()) {
  return {
    "webhook-id": "msg_1", "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("msg_1", at, body),
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
  const secret = newSecret(), headers = signed(secret);
  const odd = [
    "", " ", "9".repeat(400), "1e400", "-1", "0x10", "١٢", "\ud800", "é✓\u2028", "v1,", "v1,é", ["v1,x", "v1,y"], [], undefined,
    null, 7, "v1,".repeat(10_000),
  ];
  for (const name of Object.keys(headers)) {
    for (const value of odd) {
      const altered = { ":path": "/", [Symbol("x")]: 1, other: "✓", ...headers, [name]: value };
      await assert.rejects(webhooks.unwrap(body, altered, secret), InvalidWebhookError, `${name}: ${String(value).slice(0, 20)}`);
    }
  }
});
