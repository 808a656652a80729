/** How long territories stay unchanged until their points are requested, in milliseconds. */
const SETTLE_MS = 300;

/**
 * Keep what each scoring tile would award to our seat now, as the server computes it.
 *
 * @param {import("../state/store.js").Store} store
 * @param {() => void} changed
 */
export function ownWorth(store, changed) {
  /** The points by slot; null while they depend on hidden purses. @type {Map<string, number | null>} */
  let points = new Map();
  /** The territories that the points are of. */
  let known = "";
  let timer = 0;

  /** Request the points again when a territory has changed. A seat without hints, and a spectator, have none. */
  function update() {
    const { me, seat, view } = store;
    if (!me || seat === null || !view.options.hints || view.status !== "playing") return forget();
    const territories = JSON.stringify(view.players.map(({ territory }) => territory));
    if (territories === known) return;
    known = territories;
    clearTimeout(timer);
    if (me.territory.length < 2) points = new Map(view.scoring_tiles.map(({ slot }) => [slot, 0]));
    else timer = setTimeout(() => void request(seat, territories), SETTLE_MS);
  }

  function forget() {
    clearTimeout(timer);
    points = new Map();
    known = "";
  }

  /** @param {number} seat @param {string} territories */
  async function request(seat, territories) {
    try {
      const { scoring_tiles: tiles } = await store.game.seat(seat).whatIf([]);
      if (territories !== known) return;
      points = new Map(tiles.map(({ slot, before }) => [slot, before]));
      changed();
    } catch {
      known = ""; // the next change asks again; until then the page shows the points of before
    }
  }

  return {
    update,
    close: () => clearTimeout(timer),
    /** @param {string} slot */
    points: (slot) => points.get(slot) ?? null,
  };
}
