/** @import { operations } from "../types/contract.js" */
/** @import { Body, CallOptions, Result } from "./resources.js" */
/** @import { Transport } from "./transport.js" */
/** @typedef {NonNullable<operations["list_games"]["parameters"]["query"]>} GameQuery */
/** @typedef {{limit?: number, cursor?: string}} OwnGameQuery */

/** The public games. */
export class Games {
  /** @param {Transport} transport */
  constructor(transport) {
    this.transport = transport;
  }

  /**
   * Create a game; the server does not send its tokens again.
   *
   * @param {Body<"create_game">} [body]
   * @param {CallOptions} [options]
   * @returns {Promise<Result<"create_game">>}
   */
  create(body = {}, options) { return this.transport.json("POST", "/v1/games", { ...options, body }); }

  /**
   * Return one page of the public games, newest first.
   *
   * @param {GameQuery} [query]
   * @param {CallOptions} [options]
   * @returns {Promise<Result<"list_games">>}
   */
  list(query, options) { return this.transport.json("GET", "/v1/games", { ...options, query }); }

  /**
   * Yield all public games, newest first, page by page.
   *
   * @param {Omit<GameQuery, "cursor">} [query]
   * @param {CallOptions} [options]
   */
  all(query, options) { return pages((cursor) => this.list({ ...query, cursor }, options)); }
}

/** The games of a player. */
export class OwnGames {
  /** @type {string} */
  #key;

  /** @param {Transport} transport @param {string} key */
  constructor(transport, key) {
    this.transport = transport;
    this.#key = key;
  }

  /**
   * Create a game; the player has the first seat of `players` without a bot.
   *
   * @param {Body<"create_game">} [body]
   * @param {CallOptions} [options]
   * @returns {Promise<Result<"create_game">>}
   */
  create(body = {}, options) { return this.transport.json("POST", "/v1/games", { token: this.#key, ...options, body }); }

  /**
   * Return one page of the player's games; those that wait for the player come first.
   *
   * @param {OwnGameQuery} [query]
   * @param {CallOptions} [options]
   * @returns {Promise<Result<"list_own_games">>}
   */
  list(query, options) { return this.transport.json("GET", "/v1/me/games", { token: this.#key, ...options, query }); }

  /** Yield all games of the player, page by page. @param {CallOptions} [options] */
  all(options) { return pages((cursor) => this.list({ cursor }, options)); }

  /**
   * Return one page of the finished games, also those that have expired; the last to finish comes first.
   *
   * @param {{limit?: number, cursor?: string}} [query]
   * @param {CallOptions} [options]
   * @returns {Promise<Result<"list_own_records">>}
   */
  listPast(query, options) { return this.transport.json("GET", "/v1/me/records", { token: this.#key, ...options, query }); }

  /** Yield all finished games, also those that have expired, page by page. @param {CallOptions} [options] */
  allPast(options) { return pages((cursor) => this.listPast({ cursor }, options)); }
}

/**
 * @template T
 * @param {(cursor?: string) => Promise<{games: T[], next_cursor: string | null}>} load
 * @returns {AsyncGenerator<T, void, void>}
 */
async function* pages(load) {
  for (let page = await load(); ; page = await load(page.next_cursor)) {
    yield* page.games;
    if (!page.next_cursor) return;
  }
}
