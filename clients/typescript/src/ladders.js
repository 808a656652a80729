/** @import { CallOptions, Result } from "./resources.js" */
/** @import { Transport } from "./transport.js" */

/** The ladders of a server, and the public pages of players; no token is needed. */
export class Ladders {
  /** @param {Transport} transport */
  constructor(transport) {
    this.transport = transport;
  }

  /**
   * Return the ladders: their games and sizes.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<Result<"list_ladders">["ladders"]>}
   */
  async list(options) {
    return (await this.transport.json("GET", "/v1/ladders", options)).ladders;
  }

  /**
   * Return a page of a ladder, the player with the highest rating first.
   *
   * @param {string} ladder Such as `live_2`.
   * @param {CallOptions & {limit?: number, cursor?: string}} [options] The number of players; the `next_cursor` of the page before.
   * @returns {Promise<Result<"get_ladder">>}
   */
  get(ladder, { limit, cursor, ...options } = {}) {
    const query = { limit, cursor };
    return this.transport.json("GET", `/v1/ladders/${encodeURIComponent(ladder)}`, { query, ...options });
  }

  /**
   * Return the profile of a player, the ratings and the last rated games.
   *
   * @param {string} name
   * @param {CallOptions} [options]
   * @returns {Promise<Result<"get_profile">>}
   */
  player(name, options) {
    return this.transport.json("GET", `/v1/players/${encodeURIComponent(name)}`, options);
  }
}
