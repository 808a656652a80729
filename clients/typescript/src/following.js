import { ApiError, HistoryLostError } from "./errors.js";

const POLL_WAIT_MS = 25_000;
const FIRST_PAGE = 100;
const MAX_PAGE = 1000;
const SHRINKING = 4;
const STREAM_FAILURES = 2;
const MAX_POLLS = 8;
const OVER = ["finished", "aborted"];
/** The status of the error after a stream that ends for such a reason. @type {Record<string, number>} */
const STATUS_OF_END = { token_unknown: 401, game_not_found: 404, invitation_over: 410 };

/**
 * The state of an iteration over events, whose ids are numbers, or `NUMBER-SALT` for those of a player.
 *
 * Every connection may be cut at any moment. The follower advances however short connections are, as long as one event
 * arrives whole from time to time. A stream that delivers nothing counts as failed; after two of them the follower
 * polls. A poll that fails makes the next page and the next wait shorter, and a stream is tried next.
 *
 * @template T
 */
export class Follower {
  #failedStreams = 0;
  #pollsLeft = 0;
  #limit = FIRST_PAGE;
  #waitMs = POLL_WAIT_MS;
  over = false;
  /** Whether the API has sent a message or a page; what is no JSON after that comes from an outage. */
  hasResponded = false;
  /** Failures without an event. */
  failures = 0;
  /** Whether the last request was a poll. */
  isPolling = false;

  /** @param {number | string} after The id of the last event that the caller has: `0` or `0-0` for none. */
  constructor(after) {
    this.after = after;
  }

  /** Whether to open a stream next; otherwise long polling, because streams have failed repeatedly. */
  get streams() {
    return this.#pollsLeft === 0;
  }

  /** Start a stream, which counts as failed until it delivers what is due; return the headers of its request. */
  streamOpening() {
    this.isPolling = false;
    this.#failedStreams += 1;
    if (this.#failedStreams >= STREAM_FAILURES) {
      this.#pollsLeft = Math.min(MAX_POLLS, 2 ** (this.#failedStreams - STREAM_FAILURES));
    }
    return { "Last-Event-ID": String(this.after) };
  }

  /** Start a poll; return its query. */
  pollOpening() {
    this.isPolling = true;
    return { after: this.after, limit: this.#limit, wait_ms: this.#waitMs };
  }

  /** Adapt to a stream or poll that failed. */
  failed() {
    this.failures += 1;
    if (!this.isPolling) return;
    this.#limit = Math.max(1, Math.floor(this.#limit / SHRINKING));
    this.#waitMs = Math.max(1, Math.floor(this.#waitMs / SHRINKING));
    this.#pollsLeft = 0;
  }

  /** Yield the events of one message of a stream. @param {string} name @param {any} data @returns {Generator<T, void, void>} */
  *message(name, data) {
    this.hasResponded = true;
    if (name === "stream" && !this.#isBehind(data.last_event)) this.#streamDelivered();
    if (name !== "message") return;
    for (const event of this.#inOrder(data)) {
      this.#streamDelivered();
      yield event;
    }
  }

  /** End a stream as its last message says. @param {{reason: string, resume: string}} end */
  end({ reason, resume }) {
    if (resume === "reload") throw new HistoryLostError();
    if (resume === "stop" && !OVER.includes(reason)) {
      const status = STATUS_OF_END[reason] ?? 410; // 410: a reason newer than this client
      throw new ApiError(status, { code: reason, detail: "The stream was ended by the server." });
    }
    this.over = resume === "stop";
  }

  /** Yield the events of one page. @param {any} page @returns {Generator<T, void, void>} */
  *page(page) {
    this.hasResponded = true;
    this.#isBehind(page.last_event);
    for (const event of page.events) yield* this.#inOrder(event);
    this.failures = 0;
    this.#pollsLeft = Math.max(0, this.#pollsLeft - 1);
    this.#limit = Math.min(MAX_PAGE, 2 * this.#limit);
    this.#waitMs = Math.min(POLL_WAIT_MS, 2 * this.#waitMs);
    this.over = OVER.includes(page.status) && !this.#isBehind(page.last_event);
  }

  #streamDelivered() {
    this.failures = this.#failedStreams = this.#pollsLeft = 0;
  }

  /** Return whether the server has events that the caller does not have. @param {number | string} lastEvent */
  #isBehind(lastEvent) {
    if (numberOf(lastEvent) < numberOf(this.after)) throw new HistoryLostError();
    return numberOf(lastEvent) > numberOf(this.after);
  }

  /** Yield an event unless it was yielded before. The first one of a player may have any number. @param {any} event @returns {Generator<T, void, void>} */
  *#inOrder(event) {
    const last = numberOf(this.after), number = numberOf(event.id);
    if (number <= last) return;
    if (number > last + 1 && this.after !== NO_EVENT) throw new Error(`Event ${event.id} follows ${this.after}`);
    this.after = event.id;
    yield event;
  }
}

/** The id before a player's first event. */
export const NO_EVENT = "0-0";

/** @param {number | string} id */
const numberOf = (id) => parseInt(String(id), 10);
