/** Verify and parse the requests that the server sends to webhooks and bots (Standard Webhooks 1.0). */
/** @import { components } from "../types/contract.js" */
import { InvalidCredentialError, InvalidWebhookError } from "./errors.js";

/** @typedef {components["schemas"]} Schemas */
/** @typedef {Schemas["WebhookEventMessage"] | Schemas["WebhookChallengeMessage"] | Schemas["DecisionMessage"]} WebhookMessage What the server sends; `type` tells which. */

const TOLERANCE_S = 300;

/**
 * Verify the signature and the time of a request, and return its message.
 *
 * @param {string | Uint8Array | ArrayBuffer} body The body as it was received: parsed and written again it would have another signature.
 * @param {Headers | Record<string, string | string[] | undefined>} headers The headers, as fetch or Node have them; only those of the signature are read.
 * @param {...string} secrets The secret `whsec_...` of the webhook; several during a rotation.
 * @returns {Promise<WebhookMessage>}
 * @throws {InvalidCredentialError} When a secret cannot be one.
 * @throws {InvalidWebhookError} When no secret has signed the request, it is older than five minutes, or malformed.
 */
export async function unwrap(body, headers, ...secrets) {
  const keys = secrets.map(keyOf);
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => header(headers, `webhook-${name}`));
  const at = /^[0-9]{1,12}$/.test(timestamp) ? Number(timestamp) : NaN;
  if (!id || Number.isNaN(at) || !signatures) throw new InvalidWebhookError("The headers of a signed request are missing.");
  if (Math.abs(Date.now() / 1000 - at) > TOLERANCE_S) throw new InvalidWebhookError("The request is too old, or from the future.");
  const raw = rawBody(body);
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), raw);
  for (const key of keys) {
    const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const signature of signatures.split(" ").filter((each) => each.startsWith("v1,"))) {
      if (await crypto.subtle.verify("HMAC", imported, bytes(signature.slice(3)), signed)) return parsed(raw);
    }
  }
  throw new InvalidWebhookError("No secret matches the signature.");
}

/**
 * Return the key of a secret, which may have white space around it, as from a file.
 *
 * @param {unknown} secret
 * @throws {InvalidCredentialError} It is missing, such as a variable that is not set, or cannot be one.
 */
function keyOf(secret) {
  if (typeof secret !== "string") throw new InvalidCredentialError("The secret of the webhook is missing.");
  const key = bytes(secret.trim().replace(/^whsec_/, ""));
  if (!key.length) throw new InvalidCredentialError("The secret of the webhook is not whsec_ and base64.");
  return key;
}

/**
 * Return the values of a header, separated by spaces; empty without this header.
 *
 * `new Headers(...)` refuses what other headers of a request may have: the names of HTTP/2, symbols, any Unicode.
 *
 * @param {Headers | Record<string, string | string[] | undefined>} headers
 * @param {string} name
 */
function header(headers, name) {
  if (typeof headers?.get === "function") return text(headers.get(name)); // also the Headers of another package
  const found = Object.keys(headers ?? {}).find((each) => each.toLowerCase() === name);
  return found === undefined ? "" : text(/** @type {Record<string, unknown>} */ (headers)[found]);
}

/** @param {unknown} value A header, or several. */
function text(value) {
  return [value].flat().filter((each) => typeof each === "string" || typeof each === "number").join(" ");
}

/**
 * Return the bytes of a body. A middleware that has parsed it, or has read no body, leaves none.
 *
 * @param {unknown} body
 * @throws {InvalidWebhookError} When it is not as it was received.
 */
function rawBody(body) {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  try {
    return new Uint8Array(/** @type {ArrayBuffer} */ (body).slice(0)); // of any realm
  } catch {
    throw new InvalidWebhookError("The body is neither text nor bytes.");
  }
}

/**
 * @param {Uint8Array} first
 * @param {Uint8Array} second
 */
function joined(first, second) {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** @param {Uint8Array} raw */
function parsed(raw) {
  try {
    const message = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(raw));
    if (message instanceof Object && !Array.isArray(message)) return message;
  } catch { /* refused below */ }
  throw new InvalidWebhookError("The request is malformed.");
}

/** @param {string} base64 */
function bytes(base64) {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
