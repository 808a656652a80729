import { Game as GameResource } from "../../clients/typescript/src/resources.js";
import { Transport } from "../../clients/typescript/src/transport.js";

const transport = new Transport(location.origin);

/** The API client of this page's server: a small part of the class Skye, so that screens load less code. */
export const skye = {
  transport,
  /** @param {string} id @param {string | null} token Required: without one the server has no private game. */
  game: (id, token) => new GameResource(transport, id, token),
};

/** @typedef {import("../../clients/typescript/src/resources.js").GameData} Game */
/** @typedef {Game["players"][number]} Player */
/**
 * @typedef {import("../../clients/typescript/src/known.js").Known<import("../../clients/typescript/src/events.js").Event>} Event
 */
/**
 * @typedef {import("../../clients/typescript/src/known.js").Known<import("../../clients/typescript/src/resources.js").Action>} Action
 */

/** @typedef {import("../../clients/typescript/src/resources.js").Result<"list_tiles">["tiles"]} Tiles */
/** @typedef {import("../../clients/typescript/src/resources.js").Result<"list_scoring_tiles">} ScoringTiles */

/** The lists of the catalogue that were requested, by URL. @type {Map<string, Promise<any>>} */
const lists = new Map();

/**
 * Load all tiles of a ruleset, on the first call; null is the ruleset of new games.
 *
 * @param {string | null} ruleset
 * @returns {Promise<Tiles>}
 */
export async function loadTiles(ruleset) {
  return (await loadList("/v1/tiles", ruleset)).tiles;
}

/**
 * Load the scoring tiles and the rounds of a ruleset, on the first call; null is the ruleset of new games.
 *
 * @param {string | null} ruleset
 * @returns {Promise<ScoringTiles>}
 */
export function loadScoringTiles(ruleset) {
  return loadList("/v1/scoring-tiles", ruleset);
}

/** @param {string} path @param {string | null} ruleset */
function loadList(path, ruleset) {
  const key = `${path} ${ruleset}`;
  const loading = lists.get(key) ?? skye.transport.json("GET", path, { query: { ruleset } });
  lists.set(key, loading);
  loading.catch(() => lists.delete(key));
  return loading;
}
