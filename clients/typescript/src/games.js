/** @import { operations } from "../types/contract.js" */
/** @import { Body, CallOptions, Result } from "./resources.js" */
/** @import { Transport } from "./transport.js" */
/** @typedef {NonNullable<operations["list_games"]["parameters"]["query"]>} GameQuery */

/** The collection of games. */
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
  create(body = {}, options) {
    return this.transport.json("POST", "/v1/games", { ...options, body });
  }

  /**
   * Return one page of the public games, newest first.
   *
   * @param {GameQuery} [query]
   * @param {CallOptions} [options]
   * @returns {Promise<Result<"list_games">>}
   */
  list(query, options) {
    return this.transport.json("GET", "/v1/games", { ...options, query });
  }
}
