import { readBlocks } from "./sse.js";
import { deadline, retryDelay, sleep, waiting } from "./transport.js";

/** @import { components } from "../types/contract.js" */
/** @import { Body, CallOptions, Result } from "./resources.js" */
/** @import { Transport } from "./transport.js" */
/** @typedef {components["schemas"]["RecordLine"]} RecordLine */

/**
 * @typedef {object} ExportOptions
 * @property {string} [cursor] Yield the lines after the one with this cursor.
 * @property {string} [since] Only games that finished at this time or later.
 * @property {string} [until] Only games that finished before this time.
 * @property {number} [limit] The number of records in one response.
 * @property {AbortSignal} [signal] Ends the iteration.
 */

/** How long the server may need to create 100 games with bots. */
const CREATION_MS = 100_000;

/** Many games at once: create them with one request, and export the records of finished ones. */
export class Leagues {
  /** @type {string | undefined} */
  #key;

  /** @param {Transport} transport @param {string} [key] A player key, for the games of this player; otherwise public games. */
  constructor(transport, key) {
    this.transport = transport;
    this.#key = key;
  }

  /**
   * Create up to 100 games atomically: all of them, or none if one is refused. A later call with the same
   * `idempotencyKey` returns the same games and tokens.
   *
   * @param {Body<"create_games">["games"]} games
   * @param {CallOptions} [options]
   * @returns {Promise<Result<"create_games">["games"]>} Ids and tokens, in the same order.
   */
  async create(games, options) {
    const timed = { ...waiting(this.transport, { wait_ms: CREATION_MS }), ...options };
    return (await this.transport.json("POST", "/v1/batches", { token: this.#key, ...timed, body: { games } })).games;
  }

  /**
   * Yield each finished game once, the last to finish first: its `record`, when it finished (`finished_at`), and the
   * `cursor` after it. Resumes after a lost connection or a restart.
   *
   * @param {ExportOptions} [options]
   * @returns {AsyncGenerator<RecordLine, void, void>}
   */
  async *records({ signal, limit = 200, ...query } = {}) {
    const { retry, url } = this.transport;
    for (let attempt = 1, lines = limit, started = 0; lines === limit;) {
      lines = 0;
      try {
        for await (const text of this.#page({ ...query, limit }, signal)) {
          const line = JSON.parse(text);
          query.cursor = line.cursor;
          lines += 1;
          attempt = 1;
          yield line;
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (attempt === 1) started = Date.now();
        await sleep(retryDelay(error, attempt++, started, retry, url), signal);
        lines = limit; // not complete
      }
    }
  }

  /**
   * Yield the lines of one response.
   *
   * @param {Record<string, any>} query
   * @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<string, void, void>}
   */
  async *#page(query, signal) {
    const { transport } = this, token = this.#key;
    const opening = deadline(transport.timeoutMs, signal);
    try {
      const options = { token, query, accept: "application/x-ndjson", signal: opening.signal };
      const { body } = await transport.open("GET", token ? "/v1/me/games/records" : "/v1/records", options);
      opening.keep();
      if (!body) return;
      if (yield* readBlocks(body, "\n", transport.timeoutMs)) throw new Error("The last line is incomplete");
    } finally {
      opening.abort();
      opening.clear();
    }
  }
}
