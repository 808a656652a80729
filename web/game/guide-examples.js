/** @typedef {{id: string, edges: Record<string, string>, scroll: string | null}} Tile A tile of the catalogue. */
/** @typedef {Pick<import("../state/api.js").Game, "players">} View */

/**
 * Return the tile that a lesson of the guide names, of those that the player can see or has now; null if none fits its sentence.
 *
 * @param {string} lesson
 * @param {View} view
 * @param {number} seat
 * @param {readonly Tile[]} catalogue
 * @returns {string | null}
 */
export function exampleTile(lesson, { players }, seat, catalogue) {
  const me = players[seat];
  const inEast = me.territory.find(({ x, y }) => x === 1 && y === 0);
  const edges = (/** @type {Tile} */ { edges: sides }, /** @type {string} */ terrain) =>
    Object.values(sides).filter((side) => side === terrain).length;
  /**
   * The tiles in question, and what is said of one.
   *
   * @type {Record<string, [readonly string[], (tile: Tile) => boolean]>}
   */
  const examples = {
    discard: [me.tiles_on_offer.map(({ tile }) => tile), (tile) => edges(tile, "water") === 3],
    buy: [
      players
        .flatMap((player) =>
          player === me ? [] : player.tiles_on_offer.filter(({ price }) => price !== null && price <= (me.gold ?? 0)),
        )
        .map(({ tile }) => tile),
      (tile) => edges(tile, "mountain") > 0,
    ],
    completed: [inEast ? [inEast.tile] : me.tiles_to_build, (tile) => edges(tile, "water") === 1],
    scrolls: [[...me.tiles_to_build, ...me.territory.map(({ tile }) => tile)], (tile) => tile.scroll === "sheep"],
  };
  const [tiles, fits] = examples[lesson] ?? [[], () => false];
  return tiles.find((id) => catalogue.some((tile) => tile.id === id && fits(tile))) ?? null;
}
