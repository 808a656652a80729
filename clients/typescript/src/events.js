import { ApiError, HistoryLostError } from "./errors.js";
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

const STREAM_FAILURES = 2; // consecutive failures before long polling
const POLLS_BEFORE_STREAM = 5;
const POLL_WAIT_MS = 25_000;

/** Iterates over events of a game or player, once and in order; reconnects by itself. @template [T=Event] */
export class EventFollower {
  #failures = 0;
  #failedStreams = 0;
  #polls = 0;
  #state = "";

  /**
   * @param {Transport} transport
   * @param {string} path The path of the game, or of the player.
   * @param {string | null} token
   * @param {FollowOptions} [options]
   */
  constructor(transport, path, token, options = {}) {
    this.transport = transport;
    this.path = path;
    this.token = token;
    this.isOfPlayer = path === PLAYER;
    this.after = options.after ?? (this.isOfPlayer ? "0-0" : 0);
    this.options = options;
    this.silenceMs = options.silenceMs ?? 20_000;
  }

  /**
   * Yield events until the game is over.
   *
   * @returns {AsyncGenerator<T, void, void>}
   * @throws {HistoryLostError} The server has lost events that were already delivered.
   * @throws {ApiError} The game or the token does not exist any more.
   */
  async *[Symbol.asyncIterator]() {
    for (;;) {
      this.options.signal?.throwIfAborted();
      try {
        const over = this.#failedStreams < STREAM_FAILURES ? yield* this.#stream() : yield* this.#poll();
        if (over) return;
      } catch (error) {
        this.options.signal?.throwIfAborted();
        if (error instanceof ApiError && error.code === "history_lost") throw new HistoryLostError();
        if (error instanceof HistoryLostError || isFinal(error)) throw error;
        await this.#wait(error);
      }
    }
  }

  /** @param {unknown} error */
  async #wait(error) {
    this.#failures += 1;
    if (!this.#polls) this.#report("reconnecting");
    this.#polls = 0;
    const retryAfterMs = error instanceof ApiError ? error.retryAfterMs : null;
    await sleep(retryAfterMs ?? backoff(this.#failures, 500, 15_000), this.options.signal);
  }

  /** Read one stream to its end. @returns {AsyncGenerator<T, boolean, void>} Whether the game is over. */
  async *#stream() {
    const opening = deadline(this.silenceMs, this.options.signal);
    const failed = this.#failedStreams;
    this.#failedStreams += 1; // until its first message
    try {
      const response = await this.transport.open("GET", `${this.path}/events/stream`, {
        token: this.token, signal: opening.signal,
        accept: "text/event-stream", headers: { "Last-Event-ID": String(this.after) },
      });
      if (response.status === 204) return true;
      const type = response.headers.get("Content-Type") ?? "";
      if (!type.startsWith("text/event-stream") || !response.body) throw new Error(`Not a stream: ${type}`);
      opening.keep();
      for await (const message of parseEventStream(response.body, this.silenceMs)) {
        if (message.event === "end") return this.#ended(JSON.parse(message.data));
        yield* this.#read(message);
      }
      throw new Error("The stream has ended early");
    } catch (error) {
      // A server that is down or busy is no reason for long polling.
      if (error instanceof TypeError || (error instanceof ApiError && error.status >= 500)) this.#failedStreams = failed;
      throw error;
    } finally {
      opening.abort();
      opening.clear();
    }
  }

  /** @param {{event: string, data: string}} message */
  *#read({ event, data }) {
    if (event === "stream") {
      this.#check(JSON.parse(data).last_event);
      this.#failures = this.#failedStreams = 0;
      this.#report("live");
    } else if (event === "message") {
      yield* this.#inOrder(JSON.parse(data));
    }
  }

  /** @param {{reason: string}} end */
  #ended({ reason }) {
    if (reason === "history_lost") throw new HistoryLostError();
    if (reason === "token_unknown" || reason === "game_not_found") {
      throw new ApiError(reason === "token_unknown" ? 401 : 404, { code: reason, detail: reason });
    }
    if (reason === "finished" || reason === "aborted") return true;
    this.#report("reconnecting");
    return false; // reconnect: `restart`, or a reason newer than this client
  }

  /** @param {any} event @returns {Generator<T, void, void>} */
  *#inOrder(event) {
    const last = numberOf(this.after), number = numberOf(event.id);
    if (number <= last) return;
    if (number > last + 1 && (last || !this.isOfPlayer)) throw new Error(`Event ${event.id} follows ${this.after}`);
    this.after = event.id;
    yield event;
  }

  /** @param {any} lastEvent */
  #check(lastEvent) {
    if (numberOf(lastEvent) < numberOf(this.after)) throw new HistoryLostError();
  }

  /**
   * Wait for events by long polling.
   *
   * @returns {AsyncGenerator<T, boolean, void>} Whether the game is over.
   */
  async *#poll() {
    const { transport, path, token } = this;
    const { signal } = this.options;
    const query = { after: this.after, wait_ms: POLL_WAIT_MS };
    const page = await transport.json("GET", `${path}/events`, {
      token, signal, query, timeoutMs: POLL_WAIT_MS + 10_000, retry: { attempts: 1 },
    });
    this.#check(page.last_event);
    this.#report("polling");
    for (const event of page.events) yield* this.#inOrder(event);
    if (!page.events.length && !this.isOfPlayer) {
      const { status } = await transport.json("GET", path, { token, signal });
      if (status === "finished" || status === "aborted") return true;
    }
    this.#failures = 0;
    this.#polls += 1;
    if (this.#polls >= POLLS_BEFORE_STREAM) this.#failedStreams = STREAM_FAILURES - 1; // try one stream again
    return false;
  }

  /** @param {"live" | "polling" | "reconnecting"} state */
  #report(state) {
    if (state === this.#state) return;
    this.#state = state;
    this.options.onState?.(state);
  }
}

/** Ids of a player's events are `NUMBER-SALT`. @param {any} id */
const numberOf = (id) => parseInt(id, 10);

/** @param {unknown} error */
function isFinal(error) {
  return error instanceof ApiError && error.status < 500 && error.status !== 429 && error.status !== 408;
}
