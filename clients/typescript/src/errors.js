/** The server refused a request. `code` is stable, and may be newer than this client. */
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
    /** @type {{in: string, pointer?: string, name?: string, detail: string}[]} */
    this.errors = problem.errors ?? [];
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
export class ConnectionError extends Error {
  /** @param {unknown} cause */
  constructor(cause) {
    super("The server cannot be reached", { cause });
    this.name = "ConnectionError";
  }
}

/** The server has lost events that were already delivered: load the view again. */
export class HistoryLostError extends Error {
  constructor() {
    super("The server has lost events that were already delivered");
    this.name = "HistoryLostError";
  }
}

/**
 * Parse `Retry-After`, in seconds or as a date.
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
