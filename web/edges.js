import { loadTiles } from "./api.js";
import { h } from "./dom.js";
import { setting } from "./settings.js";

/** @typedef {"north" | "east" | "south" | "west"} Side */

const SIDES = /** @type {const} */ (["north", "east", "south", "west"]);
/** Terrains differ little in brightness, so a sign tells them apart: a tuft, a peak, a wave. */
const GLYPHS = { pasture: "Ψ", mountain: "▲", water: "≈" };

/** The terrain of each edge in reference orientation, by tile; empty until the catalogue is loaded. @type {Map<string, Record<Side, string>>} */
const edges = new Map();
let asked = false;

/** Load the catalogue, once. @param {() => void} loaded */
export function loadEdges(loaded) {
  if (asked) return;
  asked = true;
  loadTiles().then((tiles) => {
    for (const { id, edges: terrains } of tiles) edges.set(id, terrains);
    loaded();
  }, () => { asked = false; });
}

/** Whether the terrains of edges are known. */
export function edgesLoaded() {
  return edges.size > 0;
}

/**
 * The sides of a cell that get a sign: those of the ghost, those that touch it, or all when that is set.
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
 * The signs of some edges of a tile as it lies.
 *
 * @param {string} tile
 * @param {number} rotation Clockwise, in degrees.
 * @param {Side[]} sides
 */
export function edgeGlyphs(tile, rotation, sides) {
  const terrains = edges.get(tile);
  if (!terrains) return [];
  return sides.map((side) => {
    const terrain = terrains[SIDES[(SIDES.indexOf(side) - rotation / 90 + 4) % 4]];
    return h("span", { class: `edge ${side} ${terrain}` }, GLYPHS[/** @type {keyof GLYPHS} */ (terrain)] ?? "?");
  });
}
