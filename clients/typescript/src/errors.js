/** Return a text without credentials. @param {string} text */
export const redacted = (text) => text.replace(/\b(skye|whsec)_[^\s"'<>]{16,}/g, "$1_...").replace(/\/\/[^/\s]*@/g, "//...@");

/** The base class of all errors of this package. */
export class SkyeError extends Error {
  /** @param {string} message @param {ErrorOptions} [options] */
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The server returned an error. `code` is stable, and may be newer than this client. The message has every cause. */
export class ApiError extends SkyeError {
  /**
   * @param {number} status The HTTP status.
   * @param {Record<string, any>} problem The body, `application/problem+json` (RFC 9457).
   * @param {Headers} [headers] The headers of the response.
   */
  constructor(status, problem, headers) {
    const code = problem.code ?? `http_${status}`, detail = problem.detail ?? problem.title ?? "";
    /** @type {{in?: string, pointer?: string, name?: string, detail: string}[]} */
    const errors = problem.errors ?? [];
    super(redacted(`${status} ${code}: ${detail}${errors.map((cause) => `\n  ${cause.pointer || cause.name || "/"}: ${cause.detail}`).join("")}`));
    this.status = status;
    /** @type {string} */
    this.code = code;
    /** @type {string} */
    this.detail = detail;
    this.errors = errors;
    /** Values for a message in another language. @type {Record<string, any>} */
    this.params = problem.params ?? {};
    /** The complete body. */
    this.problem = problem;
    this.requestId = headers?.get("X-Request-Id") ?? null;
    /** Milliseconds to wait before a retry, or null. */
    this.retryAfterMs = retryAfterMs(headers);
  }
}

/** No complete response arrived within all retries; a write may have taken effect or not. */
export class ConnectionFailedError extends SkyeError {
  /** @param {unknown} cause @param {string} [url] The address of the API. */
  constructor(cause, url) {
    const server = url?.replace(/^(https?:\/\/)(?:[^/]*@)?([^/]*).*$/, "$1$2");
    const isRefused = /** @type {any} */ (cause)?.cause?.code === "ECONNREFUSED"; // in Node
    const start = isRefused && THIS_MACHINE.test(server ?? "") ? `: start one with ${START}` : "";
    const failed = isRefused ? `No server responds at ${server}${start}` : `The server at ${server} cannot be reached`;
    super(isBlockedPort(cause) ? `fetch sends nothing to the port of ${server}, which is that of another protocol` : server ? failed : "The server cannot be reached", { cause });
  }
}

/** Whether Node refuses to send a request to a port, such as 6000. @param {any} error */
export const isBlockedPort = (error) => error?.cause?.message === "bad port";

const THIS_MACHINE = /\/\/(127(\.\d+){3}|([^/]+\.)?localhost|\[::1\])(:|$)/;
const START = "`skye-server serve`, or `make serve` in a checkout";

/** A player key or token cannot be one, and was not sent. The message does not contain it. */
export class InvalidCredentialError extends SkyeError {}

/** An address of a server, or a path, cannot be one: no request was sent. */
export class InvalidAddressError extends SkyeError {}

/** Something other than the API responds: with a redirect, no JSON, or a body over 16 MiB. Never retried. */
export class UnexpectedResponseError extends SkyeError {}

/** A view has the tiles of another ruleset than the game, or the server does not know a ruleset. */
export class UnknownRulesetError extends SkyeError {}

/** A request to a webhook or a bot is not signed by its secret, or too old: do not act on it. */
export class InvalidWebhookError extends SkyeError {}

/** The server has lost events that were already delivered: load the view again. */
export class HistoryLostError extends SkyeError {
  constructor() {
    super("The server has lost events that were already delivered");
  }
}

/**
 * Parse `Retry-After`, in seconds or as a date.
 *
 * @param {Headers | undefined} headers
 * @returns {number | null} Milliseconds.
 */
export function retryAfterMs(headers) {
  const value = headers?.get("Retry-After") ?? "";
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value.replace(/ \d+$/, "$& GMT")) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
