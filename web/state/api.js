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
/** @typedef {import("../../clients/typescript/src/known.js").Known<import("../../clients/typescript/src/events.js").Event>} Event */
/** @typedef {import("../../clients/typescript/src/known.js").Known<import("../../clients/typescript/src/resources.js").Action>} Action */

/** @type {Promise<import("../../clients/typescript/src/resources.js").Result<"list_tiles">["tiles"]> | null} */
let tiles = null;

/** Load the catalogue of all tiles, on the first call. */
export function loadTiles() {
  tiles ??= transport.json("GET", "/v1/tiles").then((catalogue) => catalogue.tiles);
  tiles.catch(() => { tiles = null; });
  return tiles;
}
