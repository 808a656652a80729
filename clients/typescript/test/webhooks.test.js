// Requests of webhooks, as the reference implementation of Standard Webhooks signs them. Needs no server.
import assert from "node:assert/strict";
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
