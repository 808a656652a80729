import * as resources from "./client/resources.js";
import { Transport } from "./client/transport.js";

const transport = new Transport(location.origin);

/** The client of the server that served this page: what the class Skye has, without player keys. */
export const skye = {
  transport,
  games: new resources.Games(transport),
  catalogue: new resources.Catalogue(transport),
  /** @param {string} id @param {string | null} [token] */
  game: (id, token) => new resources.Game(transport, id, token),
};

/** @typedef {import("./client/resources.js").GameData} Game */
/** @typedef {Game["players"][number]} Player */
/**
 * The members of a union that this version knows; the contract allows further types in later versions.
 *
 * @template Member
 * @typedef {Member extends {type: infer Type} ? (string extends Type ? never : Member) : never} Known
 */
/** @typedef {Known<import("./client/events.js").Event>} Event */
/** @typedef {import("./client/resources.js").Placement} Placement */
/** @typedef {Known<import("./client/resources.js").Result<"list_actions">["actions"][number]>} Action */
/** @typedef {import("./client/resources.js").Result<"try_placements">} WhatIf */

/** Asked for once: scoring tiles and tiles never change while the page is open. */
let catalogue = /** @type {Promise<Catalogue> | null} */ (null);

/** @typedef {{tiles: Map<string, import("./client/resources.js").Result<"get_tile">>}} Catalogue */

/** @returns {Promise<Catalogue>} */
export function loadCatalogue() {
  catalogue ??= skye.catalogue.tiles().then((tiles) => ({ tiles: new Map(tiles.map((tile) => [tile.id, tile])) }));
  return catalogue;
}
