import { ApiError, HistoryLostError, InvalidAddressError, InvalidCredentialError, UnexpectedResponseError } from "./errors.js";
import { Follower, NO_EVENT } from "./following.js";
import { parseEventStream } from "./sse.js";
import { backoff, deadline, sleep } from "./transport.js";

/** @import { components } from "../types/contract.js" */
/** @import { Transport } from "./transport.js" */
/** @typedef {components["schemas"]["Event"]} Event */

/**
 * @typedef {object} FollowOptions
 * @property {number | string} [after] The id of the last event that the caller has; all events by default.
 * @property {AbortSignal} [signal] Ends the iteration.
 * @property {number} [silenceMs] A stream without a heartbeat for this long is half-open.
 * @property {(state: "live" | "polling" | "reconnecting") => void} [onState] Called when the connection changes.
 */

export const PLAYER = "/v1/me";

const BASE_MS = 100;
const MAX_MS = 10_000;

/** Iterates over events of a game or player, once and in order; reconnects by itself. @template [T=Event] */
export class EventFollower {
  #state = "";
  /** @type {string | null} */
  #token;
  /** @type {Follower<T>} */
  #follower;

  /**
   * @param {Transport} transport
   * @param {string} path The path of the game, or of the player.
   * @param {string | null} token
   * @param {FollowOptions} [options]
   */
  constructor(transport, path, token, options = {}) {
    this.transport = transport;
    this.path = path;
    this.#token = token;
    this.options = options;
    this.silenceMs = options.silenceMs ?? 20_000;
    this.#follower = new Follower(options.after ?? (path === PLAYER ? NO_EVENT : 0));
  }

  /**
   * Yield events until the game is over.
   *
   * @returns {AsyncGenerator<T, void, void>}
   * @throws {HistoryLostError} The server has lost events that were already delivered.
   * @throws {ApiError} The game or the token does not exist any more.
   * @throws {UnexpectedResponseError} Something other than the API answers, and the API has not yet.
   */
  async *[Symbol.asyncIterator]() {
    const follower = this.#follower, { signal } = this.options;
    while (!follower.over) {
      signal?.throwIfAborted();
      const { after } = follower;
      try {
        yield* follower.streams ? this.#stream() : this.#poll();
        if (after === follower.after && !follower.over) await sleep(backoff(1, BASE_MS, MAX_MS), signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof ApiError && error.code === "history_lost") throw new HistoryLostError();
        if (error instanceof HistoryLostError || isFinal(error)) throw error;
        if (error instanceof UnexpectedResponseError && !follower.hasResponded) throw error;
        follower.failed();
        if (!follower.isPolling) this.#report("reconnecting");
        const retryAfterMs = error instanceof ApiError ? error.retryAfterMs : null;
        await sleep(retryAfterMs || backoff(follower.failures, BASE_MS, MAX_MS), signal);
      }
    }
  }

  /** Yield the events of one stream. @returns {AsyncGenerator<T, void, void>} */
  async *#stream() {
    const opening = deadline(this.silenceMs, this.options.signal);
    try {
      const response = await this.transport.open("GET", `${this.path}/events/stream`, {
        token: this.#token, signal: opening.signal, accept: "text/event-stream", headers: this.#follower.streamOpening(),
      });
      this.#follower.over = response.status === 204; // the caller has every event of a game that is over
      if (this.#follower.over) return;
      const type = response.headers.get("Content-Type") ?? "";
      if (!type.startsWith("text/event-stream") || !response.body) throw new Error(`Not a stream: ${type}`);
      opening.keep();
      for await (const message of parseEventStream(response.body, this.silenceMs)) {
        const data = JSON.parse(message.data);
        if (message.event === "end") {
          this.#follower.end(data);
          if (!this.#follower.over) this.#report("reconnecting");
          return;
        }
        if (message.event === "stream") this.#report("live");
        yield* this.#follower.message(message.event, data);
      }
      throw new Error("The stream has no end");
    } finally {
      opening.abort();
      opening.clear();
    }
  }

  /** Yield the events of one long poll. @returns {AsyncGenerator<T, void, void>} */
  async *#poll() {
    const { transport, path, options: { signal } } = this, token = this.#token;
    const query = this.#follower.pollOpening();
    const timeoutMs = query.wait_ms + transport.timeoutMs;
    const page = await transport.json("GET", `${path}/events`, { token, signal, query, timeoutMs, retry: { attempts: 1 } });
    this.#report("polling");
    yield* this.#follower.page(page);
  }

  /** @param {"live" | "polling" | "reconnecting"} state */
  #report(state) {
    if (state === this.#state) return;
    this.#state = state;
    this.options.onState?.(state);
  }
}

/** Return whether a retry cannot succeed. @param {unknown} error */
export function isFinal(error) {
  return error instanceof InvalidCredentialError || error instanceof InvalidAddressError || error instanceof ApiError && error.status < 500 && error.status !== 429 && error.status !== 408;
}
