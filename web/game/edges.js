import { loadTiles } from "../state/api.js";
import { h } from "../shared/dom.js";
import { setting } from "../state/settings.js";

/** @typedef {"north" | "east" | "south" | "west"} Side */

const SIDES = /** @type {const} */ (["north", "east", "south", "west"]);
/** A glyph for each terrain, since their colors differ little in brightness: a tuft, a peak, a wave. */
const GLYPHS = { pasture: "Ψ", mountain: "▲", water: "≈" };

/** By ruleset, the terrain of each edge in reference orientation, by tile; empty while it is loaded. @type {Map<string, Map<string, Record<Side, string>>>} */
const rulesets = new Map();

/** Load the tiles of a ruleset on the first call. @param {string} ruleset @param {() => void} loaded */
export function loadEdges(ruleset, loaded) {
  if (rulesets.has(ruleset)) return;
  rulesets.set(ruleset, new Map());
  loadTiles(ruleset).then((tiles) => {
    rulesets.set(ruleset, new Map(tiles.map(({ id, edges }) => [id, edges])));
    loaded();
  }, () => rulesets.delete(ruleset));
}

/** Whether the terrains of the edges of a ruleset are known. @param {string} ruleset */
export function edgesLoaded(ruleset) {
  return (rulesets.get(ruleset)?.size ?? 0) > 0;
}

/**
 * Return the sides of a cell that have a glyph: those of the ghost, those that touch it, or all by the setting.
 *
 * @param {{x: number, y: number}} cell
 * @param {{x: number, y: number} | null} ghost
 * @returns {Side[]}
 */
export function sidesWithGlyphs({ x, y }, ghost) {
  if (setting("edges") || (ghost?.x === x && ghost.y === y)) return [...SIDES];
  if (!ghost || Math.abs(ghost.x - x) + Math.abs(ghost.y - y) !== 1) return [];
  return [ghost.y < y ? "north" : ghost.y > y ? "south" : ghost.x < x ? "west" : "east"];
}

/**
 * Create the glyphs of some edges of a rotated tile.
 *
 * @param {string} ruleset
 * @param {string} tile
 * @param {number} rotation Clockwise, in degrees.
 * @param {Side[]} sides
 */
export function edgeGlyphs(ruleset, tile, rotation, sides) {
  const terrains = rulesets.get(ruleset)?.get(tile);
  if (!terrains) return [];
  return sides.map((side) => {
    const terrain = terrains[SIDES[(SIDES.indexOf(side) - rotation / 90 + 4) % 4]];
    return h("span", { class: `edge ${side} ${terrain}` }, GLYPHS[/** @type {keyof GLYPHS} */ (terrain)] ?? "?");
  });
}
