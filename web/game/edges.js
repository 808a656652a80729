import { h } from "../shared/dom.js";
import { terrainAt } from "../shared/tile-words.js";
import { setting } from "../state/settings.js";

/** @typedef {import("../shared/tile-words.js").Side} Side */

const SIDES = /** @type {const} */ (["north", "east", "south", "west"]);
/** A glyph for each terrain, since their colors differ little in brightness: a tuft, a peak, a wave. */
const GLYPHS = { pasture: "Ψ", mountain: "▲", water: "≈" };

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
  return sides.flatMap((side) => {
    const terrain = terrainAt(ruleset, tile, rotation, side);
    return terrain
      ? [h("span", { class: `edge ${side} ${terrain}` }, GLYPHS[/** @type {keyof GLYPHS} */ (terrain)] ?? "?")]
      : [];
  });
}
