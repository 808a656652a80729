import { queryString } from "./transport.js";

/** @import { Body, CallOptions, Result } from "./resources.js" */
/** @import { Transport } from "./transport.js" */

/**
 * Tiles, scoring tiles, scenarios and bots, which change only with the version of the server. The tiles are those of a
 * ruleset; without one, of that of new games.
 */
export class Catalogue {
  /** @param {Transport} transport */
  constructor(transport) {
    this.transport = transport;
  }

  /** @param {{ruleset?: string}} [query] @param {CallOptions} [options] @returns {Promise<Result<"list_tiles">["tiles"]>} */
  async tiles(query, options) { return (await this.transport.json("GET", "/v1/tiles", { ...options, query })).tiles; }

  /** @param {{ruleset?: string}} [query] @param {CallOptions} [options] @returns {Promise<Result<"list_scoring_tiles">["scoring_tiles"]>} */
  async scoringTiles(query, options) {
    return (await this.transport.json("GET", "/v1/scoring-tiles", { ...options, query })).scoring_tiles;
  }

  /** @param {CallOptions} [options] @returns {Promise<Result<"list_scenarios">["scenarios"]>} */
  async scenarios(options) { return (await this.transport.json("GET", "/v1/scenarios", options)).scenarios; }

  /** @param {CallOptions} [options] @returns {Promise<Result<"list_bots">["bots"]>} */
  async bots(options) { return (await this.transport.json("GET", "/v1/bots", options)).bots; }

  /**
   * Return the points of any territories.
   *
   * @param {Body<"score_territories">} body
   * @param {CallOptions} [options]
   * @returns {Promise<Result<"score_territories">>}
   */
  score(body, options) { return this.transport.json("POST", "/v1/scoring", { ...options, body }); }

  /** Return the URL of the picture of a tile. @param {string} tile @param {number} [rotation] @param {string} [ruleset] */
  pictureUrl(tile, rotation = 0, ruleset) {
    const query = queryString({ rotation: rotation || null, ruleset });
    return `${this.transport.url}/v1/tiles/${tile}/picture.svg${query}`;
  }
}
