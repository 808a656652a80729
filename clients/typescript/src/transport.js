import { readText } from "./bodies.js";
import { ApiError, ConnectionFailedError, InvalidAddressError, InvalidCredentialError, SkyeError, UnexpectedResponseError, isBlockedPort, redacted } from "./errors.js";

/** Statuses of responses that are retried. */
const RETRIED = new Set([429, 502, 503, 504]);

/**
 * @typedef {object} RetryPolicy
 * @property {number} attempts The maximum number of attempts.
 * @property {number} baseMs The first delay; it doubles with each attempt.
 * @property {number} maxMs The maximum delay between two attempts.
 * @property {number} budgetMs No retry starts later than this after the first attempt.
 */

/**
 * @typedef {object} RequestOptions
 * @property {string | null} [token] Sent as the bearer token.
 * @property {Record<string, any>} [query]
 * @property {unknown} [body] Sent as JSON.
 * @property {string} [accept]
 * @property {string} [idempotencyKey] For a write; a random one by default.
 * @property {number} [ifMatch] The version that the game must have; otherwise the server refuses the write.
 * @property {Record<string, string>} [headers]
 * @property {AbortSignal} [signal]
 * @property {number} [timeoutMs] For each attempt, until the headers of the response.
 * @property {Partial<RetryPolicy>} [retry]
 */

/** @typedef {Omit<RequestOptions, "body">} SendOptions */

export const VERSION = "1.0.0";

/** Browsers send their own, and ask another origin before they send one of a page. @type {Record<string, string>} */
const USER_AGENT = "document" in globalThis || "importScripts" in globalThis ? {} : { "User-Agent": `skye-client-js/${VERSION}` };

/** @type {RetryPolicy} */
const DEFAULT_RETRY = { attempts: 6, baseMs: 250, maxMs: 8000, budgetMs: 60_000 };

/** Sends requests to one server, with retries. Every write has an Idempotency-Key, so a retry has no second effect. */
export class Transport {
  /**
   * @param {string} url The address of the server.
   * @param {{fetch?: typeof fetch, retry?: Partial<RetryPolicy>, timeoutMs?: number}} [options]
   * @throws {InvalidAddressError} The address cannot be one, such as one without `http://`.
   */
  constructor(url, options = {}) {
    this.url = checkedUrl(url);
    this.fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
    this.retry = { ...DEFAULT_RETRY, ...options.retry };
    this.timeoutMs = options.timeoutMs ?? 15_000;
    /** How far the clock of the server is ahead, in milliseconds, from the `Date` header; null until known. */
    this.clockOffsetMs = /** @type {number | null} */ (null);
  }

  /**
   * Send a request; return the JSON of the response.
   *
   * @param {string} method
   * @param {string} path
   * @param {RequestOptions} [options]
   * @returns {Promise<any>} Null for a response without a body.
   */
  async json(method, path, options = {}) {
    return this.send(method, path, options, readJson);
  }

  /**
   * Send a request, with retries.
   *
   * @template T
   * @param {string} method
   * @param {string} path
   * @param {RequestOptions} options
   * @param {(response: Response) => Promise<T>} read Reads the body; a connection lost there is retried too.
   * @returns {Promise<T>}
   * @throws {ApiError} The server returned an error.
   * @throws {ConnectionFailedError} No response within all retries.
   * @throws {UnexpectedResponseError} Something other than the API responds: with a redirect, no JSON, or a body over 16 MiB.
   * @throws {InvalidCredentialError} The token cannot be one.
   * @throws {InvalidAddressError} The path does not begin with a slash.
   */
  async send(method, path, options, read) {
    method = method.toUpperCase(); // fetch does so with some methods only
    const policy = { ...this.retry, ...options.retry };
    const body = options.body === undefined || options.body === null ? undefined : JSON.stringify(options.body);
    const key = method === "GET" ? undefined : options.idempotencyKey ?? randomKey();
    const started = Date.now();
    for (let attempt = 1; ; attempt++) {
      const { value, error } = await this.#attempt(method, path, { ...options, idempotencyKey: key, body }, read);
      if (!error) return /** @type {T} */ (value);
      options.signal?.throwIfAborted();
      await sleep(retryDelay(error, attempt, started, policy, this.url), options.signal);
    }
  }

  /**
   * @template T
   * @param {string} method
   * @param {string} path
   * @param {Omit<RequestOptions, "body"> & {body?: string}} options
   * @param {(response: Response) => Promise<T>} read
   * @returns {Promise<{value?: T, error?: unknown}>}
   */
  async #attempt(method, path, options, read) {
    const timeout = deadline(options.timeoutMs ?? this.timeoutMs, options.signal);
    try {
      const response = await this.open(method, path, { ...options, signal: timeout.signal });
      return { value: await read(response) };
    } catch (error) {
      return { error };
    } finally {
      timeout.clear();
    }
  }

  /**
   * Send a request once; return the response with its body unread.
   *
   * @param {string} method
   * @param {string} path
   * @param {Omit<RequestOptions, "body"> & {body?: string}} options
   * @returns {Promise<Response>}
   * @throws {ApiError} The server refused.
   * @throws {UnexpectedResponseError} The server redirects.
   * @throws {InvalidCredentialError} The token cannot be one.
   * @throws {InvalidAddressError} The path does not begin with a slash.
   */
  async open(method, path, options) {
    /** @type {Record<string, string>} */
    const headers = { ...USER_AGENT, Accept: options.accept ?? "application/json", ...options.headers };
    const token = credential(options.token);
    if (token !== null) headers.Authorization = `Bearer ${token}`;
    if (options.idempotencyKey) headers["Idempotency-Key"] = options.idempotencyKey;
    if (options.ifMatch !== undefined) headers["If-Match"] = `"${options.ifMatch}"`;
    if (options.body) headers["Content-Type"] = "application/json";
    checkHeaders(headers);
    const response = await this.fetch(this.url + checkedPath(path) + queryString(options.query), {
      method, headers, body: options.body, signal: options.signal, cache: "no-store", redirect: "manual",
    });
    checkNoRedirect(response, `${method} ${path}`);
    const date = Date.parse(response.headers.get("Date") ?? "");
    if (!Number.isNaN(date)) this.clockOffsetMs = date - Date.now();
    if (response.ok) return response;
    throw new ApiError(response.status, problemIn(await errorText(response)), response.headers);
  }
}

/**
 * Check that a server, or a proxy before it, does not redirect a request.
 *
 * @param {Response} response
 * @param {string} request Its method and path.
 * @throws {UnexpectedResponseError} It does: to follow it would turn a POST into a GET, and lose the token.
 */
function checkNoRedirect(response, request) {
  const { status, type, redirected } = response;
  const isRedirect = status >= 300 && status < 400 && status !== 304;
  if (!isRedirect && !redirected && type !== "opaqueredirect") return; // browsers show nothing of a redirect
  response.body?.cancel().catch(() => {});
  const place = redacted((response.headers.get("Location") ?? "").split(/[?#]/)[0]).slice(0, 200);
  const to = place ? ` to ${JSON.stringify(place)}` : "";
  throw new UnexpectedResponseError(`${request}: the server redirects${to}${isRedirect ? ` (status ${status})` : ""}. The client follows no redirect, which can lose the method and the token: use the address of the API itself.`);
}

/** Check headers that fetch would refuse as it does a lost connection. @param {Record<string, string>} headers */
function checkHeaders(headers) {
  try {
    new Headers(headers);
  } catch {
    throw new SkyeError("A header of the request, such as the Idempotency-Key, has characters that no header may have");
  }
}

/** Return the body of an error response; empty if it is cut. @param {Response} response */
const errorText = (response) => readText(response).catch((error) => {
  if (error instanceof SkyeError) throw error;
  return "";
});

/** Return the problem document of an error response; empty for another text. @param {string} text */
function problemIn(text) {
  try {
    const problem = JSON.parse(text);
    return problem && typeof problem === "object" ? problem : {};
  } catch {
    return {};
  }
}

/**
 * Return the address of a server without white space around it, and without a slash at its end.
 *
 * @param {string} url
 * @throws {InvalidAddressError} It is no address, such as one without `http://`, has a user name, which fetch refuses to
 *   send, or ends in `/v1`, with which the paths of requests begin.
 */
function checkedUrl(url) {
  url = url.trim();
  if (url.includes("@")) throw new InvalidAddressError("An address with an `@` has a user name or password, which is not sent");
  if (!isAddress(url)) throw new InvalidAddressError(`${JSON.stringify(redacted(url.slice(0, 200)))} is not the address of a server, such as http://127.0.0.1:8000`);
  const address = url.replace(/^https?/i, (scheme) => scheme.toLowerCase()).replace(/\/+$/, "");
  if (address.endsWith("/v1")) throw new InvalidAddressError(`The address ends in /v1, with which every path begins: use ${JSON.stringify(address.slice(0, -3))}`);
  return address;
}

/** @param {string} url */
function isAddress(url) {
  try {
    return /^https?:\/\/[^/?#\s][^?#\s]*$/i.test(url) && new URL(url).port !== "0";
  } catch {
    return false;
  }
}

/**
 * Return the path of a request.
 *
 * @param {string} path
 * @throws {InvalidAddressError} It does not begin with a slash: it would change the host.
 */
function checkedPath(path) {
  if (String(path).startsWith("/")) return path;
  throw new InvalidAddressError(`${JSON.stringify(redacted(String(path).slice(0, 200)))} is not the path of a request, such as /v1/games`);
}

/** @param {Response} response */
async function readJson(response) {
  const text = await readText(response);
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    throw new UnexpectedResponseError(`${response.url}: the response of status ${response.status} is not JSON: ${redacted(text.slice(0, 10_000)).slice(0, 100)}`);
  }
}

/** Return a timeout that leaves the server the time to wait. @param {Transport} transport @param {{wait_ms?: number}} [query] */
export const waiting = (transport, query) => ({ timeoutMs: transport.timeoutMs + (query?.wait_ms ?? 0) });

/**
 * Return the milliseconds to wait before the next attempt.
 *
 * @param {unknown} error
 * @param {number} attempt The number of the attempt that failed, from 1.
 * @param {number} started When the first attempt began.
 * @param {RetryPolicy} policy
 * @param {string} url The address of the API.
 * @throws {ApiError | ConnectionFailedError} No attempt is left, or a retry cannot help.
 */
export function retryDelay(error, attempt, started, policy, url) {
  const { attempts, baseMs, maxMs, budgetMs } = policy;
  if (error instanceof SkyeError && !(error instanceof ApiError)) throw error; // of the request itself
  let wait = backoff(attempt, baseMs, maxMs);
  if (error instanceof ApiError) {
    if (!RETRIED.has(error.status)) throw error;
    if (error.retryAfterMs !== null) wait = error.retryAfterMs + Math.random() * baseMs;
  }
  if (attempt < attempts && !isBlockedPort(error) && Date.now() + wait - started <= budgetMs) return wait;
  throw error instanceof ApiError ? error : new ConnectionFailedError(error, url);
}

/**
 * Return an exponential delay with equal jitter, in milliseconds.
 *
 * @param {number} attempt From 1.
 * @param {number} baseMs
 * @param {number} maxMs
 */
export function backoff(attempt, baseMs, maxMs) {
  return Math.min(maxMs, baseMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}

/**
 * Return a player key or token without white space around it, such as the end of a line in a file; null for none.
 *
 * @template {string | null | undefined} T
 * @param {T} text
 * @returns {T extends string ? string : string | null}
 * @throws {InvalidCredentialError} It has characters that no header may have, or too many.
 */
export function credential(text) {
  if (text === null || text === undefined) return /** @type {any} */ (null);
  const trimmed = text.trim();
  if (!/^[\w.~+/-]{1,512}=*$/.test(trimmed)) throw new InvalidCredentialError("A player key or token is empty, has over 512 characters, or others than letters, digits and ._~+/-=");
  return /** @type {any} */ (trimmed);
}

/** Return a random player key. */
export const newKey = () => `skye_key_${randomKey()}`;

/** Return a random Idempotency-Key. `crypto.randomUUID` would need HTTPS in a browser. */
export function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The longest time of a timer; longer ones fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** @param {number} ms @param {AbortSignal} [signal] @returns {Promise<void>} */
export function sleep(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => { forget(); resolve(); }, Math.min(ms, MAX_TIMER_MS));
    const forget = onAbort(signal, () => { clearTimeout(timer); reject(signal?.reason); });
  });
}

/**
 * Return a signal that aborts after a timeout, unless `keep` is called, or when another signal aborts.
 *
 * @param {number} ms
 * @param {AbortSignal} [signal]
 */
export function deadline(ms, signal) {
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(new Error(`No response within ${ms} ms`)), Math.min(ms, MAX_TIMER_MS));
  const forget = onAbort(signal, stop);
  const clear = () => { clearTimeout(timer); forget(); };
  const keep = () => clearTimeout(timer);
  return { signal: controller.signal, clear, keep, abort: () => controller.abort() };
}

/** What to call when a signal aborts: Node warns of a leak when a signal has more than ten listeners. @type {WeakMap<AbortSignal, Set<() => void>>} */
const CALLED = new WeakMap();

/**
 * Call a function when a signal aborts, at once if it has; return a function that forgets this. However many functions
 * wait, the signal has one listener, and none when nothing waits.
 *
 * @param {AbortSignal | undefined} signal
 * @param {() => void} called
 */
function onAbort(signal, called) {
  if (!signal) return () => {};
  if (signal.aborted) {
    called();
    return () => {};
  }
  const waiting = CALLED.get(signal) ?? new Set(), one = () => called();
  if (!waiting.size) {
    CALLED.set(signal, waiting);
    signal.addEventListener("abort", callAll, { once: true });
  }
  waiting.add(one);
  return () => {
    if (waiting.delete(one) && !waiting.size) signal.removeEventListener("abort", callAll);
  };
}

/** @param {Event} event */
function callAll({ target }) {
  const waiting = CALLED.get(/** @type {AbortSignal} */ (target)) ?? new Set();
  CALLED.delete(/** @type {AbortSignal} */ (target));
  for (const called of waiting) called();
}

/** Return a query string with its `?`; empty without parameters. @param {Record<string, any> | undefined} query */
export function queryString(query) {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, String(one)]));
  return pairs.length ? `?${new URLSearchParams(pairs)}` : "";
}
