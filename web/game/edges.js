import { h } from "../shared/dom.js";
import { terrainAt } from "../shared/tile-words.js";
import { setting } from "../state/settings.js";

/** @typedef {import("../shared/tile-words.js").Side} Side */

const SIDES = /** @type {const} */ (["north", "east", "south", "west"]);
/** A glyph for each terrain, since their colors differ little in brightness: a tuft, a peak, a wave. */
const GLYPHS = { pasture: "Ψ", mountain: "▲", water: "≈" };

/**
 * Return the sides of a cell that have a glyph: where the ghost and its neighbours touch, or all by the setting.
 *
 * @param {{x: number, y: number}} cell
 * @param {{x: number, y: number} | null} ghost
 * @param {(x: number, y: number) => boolean} isLaid Whether a tile lies in a cell.
 * @returns {Side[]}
 */
export function sidesWithGlyphs({ x, y }, ghost, isLaid) {
  if (setting("edges")) return [...SIDES];
  if (ghost?.x === x && ghost.y === y) {
    const beside = { north: isLaid(x, y - 1), east: isLaid(x + 1, y), south: isLaid(x, y + 1), west: isLaid(x - 1, y) };
    return SIDES.filter((side) => beside[side]);
  }
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
  return sides.flatMap((side) => {
    const terrain = terrainAt(ruleset, tile, rotation, side);
    return terrain
      ? [h("span", { class: `edge ${side} ${terrain}` }, GLYPHS[/** @type {keyof GLYPHS} */ (terrain)] ?? "?")]
      : [];
  });
}
