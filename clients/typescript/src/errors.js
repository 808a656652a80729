/** The server refused a request. `code` is stable; codes that this version does not know are passed on. */
export class ApiError extends Error {
  /**
   * @param {number} status The HTTP status.
   * @param {Record<string, any>} problem The body, `application/problem+json` (RFC 9457).
   * @param {Headers} [headers] The headers of the response.
   */
  constructor(status, problem, headers) {
    super(problem.detail ?? problem.title ?? `HTTP ${status}`);
    this.name = "ApiError";
    this.status = status;
    /** @type {string} */
    this.code = problem.code ?? "unknown";
    /** @type {{pointer: string, detail: string}[]} */
    this.errors = problem.errors ?? [];
    /** Values for a message in another language. @type {Record<string, any>} */
    this.params = problem.params ?? {};
    /** The whole body, with members that this version does not know. */
    this.problem = problem;
    this.requestId = headers?.get("X-Request-Id") ?? null;
    /** Milliseconds to wait before a retry, or null. */
    this.retryAfterMs = retryAfterMs(headers);
  }
}

/** No complete response arrived within all retries. A write may or may not have been carried out. */
export class ConnectionError extends Error {
  /** @param {unknown} cause */
  constructor(cause) {
    super("The server cannot be reached", { cause });
    this.name = "ConnectionError";
  }
}

/** Events that this client has seen are no longer in the log of the game: load the view again. */
export class HistoryLostError extends Error {
  constructor() {
    super("The server has lost events that this client has seen");
    this.name = "HistoryLostError";
  }
}

/**
 * Read `Retry-After`, in seconds or as a date.
 *
 * @param {Headers | undefined} headers
 * @returns {number | null} Milliseconds.
 */
export function retryAfterMs(headers) {
  const value = headers?.get("Retry-After");
  if (!value) return null;
  const seconds = Number(value);
  const ms = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
