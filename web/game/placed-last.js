/** @typedef {import("../state/api.js").Event} Event */

/** The latest result: a log only grows. @type {{log: readonly Event[] | null, count: number, tiles: Set<string>}} */
let latest = { log: null, count: 0, tiles: new Set() };

/**
 * Return the tiles that were placed when the players built last: in this round, or until somebody builds in the round before.
 *
 * @param {readonly Event[]} log
 */
export function placedLast(log) {
  if (latest.log === log && latest.count === log.length) return latest.tiles;
  /** @type {Set<string>} */
  const tiles = new Set();
  const undone = new Set();
  for (let index = log.length - 1; index >= 0; index -= 1) {
    const event = log[index];
    if (event.type === "placement_taken_back") undone.add(event.tile);
    if (event.type === "tile_placed" && !undone.delete(event.tile)) tiles.add(event.tile);
    if (event.type === "round_started" && tiles.size) break;
  }
  latest = { log, count: log.length, tiles };
  return tiles;
}
