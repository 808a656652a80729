import { h } from "../shared/dom.js";
import { list, signed, t } from "../shared/i18n.js";
import { skye } from "../state/api.js";
import { thumbnail } from "./log.js";

/** @typedef {import("../state/store.js").Store} Store */
/** @typedef {Extract<import("../state/api.js").Event, {type: "tile_placed"}>} TilePlaced */

/** How long the placements of a player are gathered, in milliseconds: bots place all their tiles at once. */
const GATHER_MS = 100;

/**
 * Gather the tiles that the others place, and show them for each player together: their pictures, and what they add to the
 * points of this round.
 *
 * @param {Store} store
 * @param {(...children: (Node | string)[]) => void} show
 */
export function rivalNews(store, show) {
  /** @type {Map<number, TilePlaced[]>} */
  let gathered = new Map();
  let timer = 0;

  function tell() {
    timer = 0;
    const news = gathered;
    gathered = new Map();
    for (const [seat, placed] of news) {
      const { ruleset, players } = store.view;
      const points = h("span", { class: "points" });
      const pictures = placed.map(({ tile, rotation }) => thumbnail(ruleset, tile, rotation));
      const tiles = list(placed.map(({ tile }) => tile));
      show(...pictures, h("span", {}, t("news.placed", { name: players[seat].name, tiles })), points);
      gained(store, seat, placed).then(
        (text) => points.append(text),
        () => {},
      ); // without the points the tiles are shown
    }
  }

  return {
    add(/** @type {TilePlaced} */ event) {
      gathered.set(event.seat, [...(gathered.get(event.seat) ?? []), event]);
      timer ||= setTimeout(tell, GATHER_MS);
    },
    takeBack(/** @type {{seat: number, tile: string}} */ { seat, tile }) {
      const left = gathered.get(seat)?.filter((placed) => placed.tile !== tile);
      if (left?.length) gathered.set(seat, left);
      else gathered.delete(seat);
    },
  };
}

/**
 * Return what tiles have added to the points of a seat in this round and to its scrolls, as in "A +3".
 *
 * @param {Store} store
 * @param {number} seat
 * @param {TilePlaced[]} placed
 */
async function gained({ view }, seat, placed) {
  if (!view.options.hints) return "";
  const { ruleset, round, players } = view;
  const scored = view.scoring_tiles.filter(({ rounds }) => rounds.includes(round));
  const isNew = (/** @type {{tile: string}} */ { tile }) => placed.some((one) => one.tile === tile);
  // Tiles lie in the order in which they were placed: each beginning of the list is a territory, other choices may not be.
  const territories = (/** @type {boolean} */ before) =>
    players.map(({ seat: other, territory }) => {
      const count = before ? territory.findIndex(isNew) : territory.findLastIndex(isNew) + 1;
      return { tiles: other === seat && count > 0 ? territory.slice(0, count) : territory };
    });
  const [before, after] = await Promise.all(
    [true, false].map((isBefore) =>
      skye.transport.json("POST", "/v1/scoring", {
        body: {
          ruleset,
          scoring_tiles: scored.map(({ scoring_tile: id }) => id),
          territories: territories(isBefore),
        },
      }),
    ),
  );
  const [was, is] = [before.territories[seat], after.territories[seat]];
  const parts = scored.map(({ slot }, index) => ({
    name: slot,
    points: is.scoring_tiles[index].points - was.scoring_tiles[index].points,
  }));
  const scrolls = { name: t("gains.scrolls"), points: is.scroll_points - was.scroll_points };
  const texts = [...parts, scrolls]
    .filter(({ points }) => points)
    .map(({ name, points }) => `${name} ${signed(points)}`);
  return texts.join(" ");
}
