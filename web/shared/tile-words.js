import { loadTiles } from "../state/api.js";
import { list, plain, t } from "./i18n.js";

/** @typedef {import("../state/api.js").Tiles[number]} Tile */
/** @typedef {"north" | "east" | "south" | "west"} Side */

const SIDES = /** @type {const} */ (["north", "east", "south", "west"]);
/** The objects on tiles, in the order in which the words name them. */
const OBJECTS = /** @type {const} */ (["farm", "broch", "lighthouse", "ship", "sheep", "cattle", "whisky"]);

/** By ruleset, its tiles by id; empty while they are loaded. @type {Map<string, Map<string, Tile>>} */
const catalogues = new Map();
/** The words of tiles that were made, by ruleset, tile and rotation. @type {Map<string, string>} */
const known = new Map();

/**
 * Load the tiles of a ruleset on the first call, then call `loaded` once.
 *
 * @param {string} ruleset
 * @param {() => void} [loaded]
 */
export function loadTileWords(ruleset, loaded = () => {}) {
  if (catalogues.has(ruleset)) return;
  catalogues.set(ruleset, new Map());
  loadTiles(ruleset).then(
    (tiles) => {
      catalogues.set(ruleset, new Map(tiles.map((tile) => [tile.id, tile])));
      loaded();
    },
    () => catalogues.delete(ruleset),
  );
}

/** Whether the tiles of a ruleset are known. @param {string} ruleset */
export function tileWordsLoaded(ruleset) {
  return (catalogues.get(ruleset)?.size ?? 0) > 0;
}

/**
 * Return the terrain of an edge of a rotated tile; undefined while the tiles are loaded.
 *
 * @param {string} ruleset
 * @param {string} id
 * @param {number} rotation
 * @param {Side} side
 */
export function terrainAt(ruleset, id, rotation, side) {
  const tile = catalogues.get(ruleset)?.get(id);
  return tile && edge(tile, rotation, side);
}

/** @param {Tile} tile @param {number} rotation @param {Side} side */
function edge({ edges }, rotation, side) {
  return edges[SIDES[(SIDES.indexOf(side) - rotation / 90 + 4) % 4]];
}

/**
 * Describe a tile as it lies: the terrain of each side, roads, buildings, animals, and its scroll.
 *
 * @param {string} ruleset
 * @param {string} id
 * @param {number} [rotation] Clockwise, in degrees.
 * @returns {string} Empty while the tiles of the ruleset are loaded.
 */
export function tileWords(ruleset, id, rotation = 0) {
  const key = `${ruleset} ${id} ${rotation}`;
  const made = known.get(key);
  const tile = catalogues.get(ruleset)?.get(id);
  if (made !== undefined || !tile) return made ?? "";
  const words = describe(tile, rotation);
  known.set(key, words);
  return words;
}

/**
 * Return a tile in words with its name, as in "L07: castle, …".
 *
 * @param {string} ruleset
 * @param {string} id
 * @param {number} [rotation]
 */
export function tileNameAndWords(ruleset, id, rotation = 0) {
  const words = tileWords(ruleset, id, rotation);
  return words ? t("tile.named", { tile: id, words }) : id;
}

/** @param {Tile} tile @param {number} rotation */
function describe(tile, rotation) {
  const parts = [...terrainsOf(tile, rotation), ...tile.roads.map((road) => roadWords(road, rotation))];
  for (const object of OBJECTS) {
    const count = tile.counts[object] ?? 0;
    if (count) parts.push(t(`object.${object}`, { count }));
  }
  if (tile.scroll) parts.push(t(`tile.scroll.${tile.scroll}`));
  const text = parts.join(t("tile.separator"));
  return plain(tile.kind === "castle" ? t("tile.castle", { words: text }) : text);
}

/** Return each terrain with its sides, in the order of the compass. @param {Tile} tile @param {number} rotation */
function terrainsOf(tile, rotation) {
  /** @type {Map<string, Side[]>} */
  const sides = new Map();
  for (const side of SIDES) {
    const terrain = edge(tile, rotation, side);
    sides.set(terrain, [...(sides.get(terrain) ?? []), side]);
  }
  return [...sides].map(([terrain, where]) =>
    where.length === SIDES.length
      ? t(`tile.all.${terrain}`)
      : t(`tile.terrain.${terrain}`, { sides: sidesInWords(where) }),
  );
}

/** @param {readonly string[]} road @param {number} rotation */
function roadWords(road, rotation) {
  const turned = road.map((side) => SIDES[(SIDES.indexOf(/** @type {Side} */ (side)) + rotation / 90) % 4]);
  const inOrder = SIDES.filter((side) => turned.includes(side));
  return t(inOrder.length > 1 ? "tile.road" : "tile.road_end", { sides: sidesInWords(inOrder) });
}

/** @param {readonly Side[]} sides */
function sidesInWords(sides) {
  return list(sides.map((side) => t(`side.${side}`)));
}
