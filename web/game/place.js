import { announce } from "../shared/dom.js";
import { signed, t } from "../shared/i18n.js";
import { tileNameAndWords } from "../shared/tile-words.js";
import { setting } from "../state/settings.js";

/** @typedef {import("../state/store.js").Store} Store */
/** @typedef {import("../state/store.js").Placed} Placed */
/** @typedef {import("../state/types.js").Place} Place */
/** @typedef {import("../state/types.js").Legal} Legal */

const SPOKEN_MS = 80;

/**
 * The chosen tile with its cell and rotation (the ghost) and its gains. Tiles in hand can be placed, others
 * previewed.
 */
export class Placing {
  /** The places of tiles in our current territory. @type {Map<string, Place[]>} */
  #places = new Map();
  #territory = "";
  #loading = new AbortController();
  #timer = 0;

  /** @param {Store} store @param {() => void} changed */
  constructor(store, changed) {
    this.store = store;
    this.changed = changed;
    /** @type {string | null} */
    this.tile = null;
    /** @type {Legal | null} */
    this.ghost = null;
  }

  /** Whether the chosen tile can be placed now, not only previewed. */
  get building() {
    const { me, view } = this.store;
    return view.phase === "building" && (me?.tiles_to_build.some((tile) => tile === this.tile) ?? false);
  }

  /**
   * Return the legal placements of a tile, with their gains once loaded.
   *
   * @param {string | null} tile
   * @returns {Legal[]}
   */
  legal(tile) {
    if (this.#territory !== this.#now()) this.#places.clear();
    const known = tile ? this.#places.get(tile) : undefined;
    if (known && !(this.store.busy && this.building)) return known;
    const placements = (this.store.actions ?? []).flatMap((action) => (action.type === "place" ? [action.body] : []));
    return /** @type {Legal[]} */ (placements.filter((body) => body.tile === tile));
  }

  #now() {
    return JSON.stringify(this.store.me?.territory);
  }

  /** Return those of the chosen tile by cell, as in "1,-2", the most valuable first. @returns {Map<string, Legal[]>} */
  cells() {
    /** @type {Map<string, Legal[]>} */
    const cells = new Map();
    for (const place of this.legal(this.tile)) {
      const key = `${place.x},${place.y}`;
      cells.set(key, [...(cells.get(key) ?? []), place]);
    }
    for (const places of cells.values())
      places.sort((a, b) => this.#worth(b) - this.#worth(a) || a.rotation - b.rotation);
    return cells;
  }

  /** Return the sort key of a placement: first the points of this round, then all points. @param {Legal} place */
  #worth(place) {
    return (
      100 * (this.pointsNow(place) ?? 0) +
      (place.gains ?? []).reduce((sum, { points }) => sum + (points ?? 0), place.scroll_points ?? 0)
    );
  }

  /** Return the points that a placement adds in this round; null while unknown. @param {Legal} place */
  pointsNow({ gains }) {
    const now = new Set(this.scoredNow());
    return gains ? gains.reduce((sum, { slot, points }) => sum + (now.has(slot) ? (points ?? 0) : 0), 0) : null;
  }

  /** Return the slots that this round scores. */
  scoredNow() {
    const { round, scoring_tiles } = this.store.view;
    return scoring_tiles.filter(({ rounds }) => rounds.includes(round)).map(({ slot }) => slot);
  }

  /** @param {string | null} tile */
  select(tile) {
    if (this.tile === tile && !this.ghost) return;
    this.tile = tile;
    this.#setGhost(null);
    if (tile) void this.#load(tile);
  }

  /** Request the places of a tile and their gains. @param {string} tile */
  async #load(tile) {
    const { store } = this;
    const territory = this.#now();
    if (!store.view.options.hints) return this.#sayPlaces(tile);
    if (store.seat === null || (this.#territory === territory && this.#places.has(tile))) return this.#sayPlaces(tile);
    try {
      const { places } = await store.game
        .seat(store.seat)
        .places([/** @type {any} */ (tile)], { signal: this.#loading.signal });
      if (territory !== this.#now()) return; // the territory has changed
      if (territory !== this.#territory) this.#places.clear();
      this.#territory = territory;
      this.#places.set(tile, places);
    } catch {
      /* the actions still list what is legal; the gains stay unknown */
    }
    if (this.tile !== tile) return;
    const { ghost } = this;
    if (ghost) this.ghost = this.legal(tile).find((place) => same(place, ghost)) ?? null;
    this.changed();
    this.#sayPlaces(tile);
  }

  /** @param {string} tile */
  #sayPlaces(tile) {
    if (!this.ghost)
      announce(
        t("status.places", {
          tile: tileNameAndWords(this.store.view.ruleset, tile),
          count: this.legal(tile).length,
          cells: t("status.cells", { count: this.cells().size }),
        }),
      );
  }

  /**
   * Show the ghost on a cell, or rotate it if it is there already.
   *
   * @param {number} x
   * @param {number} y
   * @returns {boolean} Whether the tile can be placed there.
   */
  tap(x, y) {
    const places = this.cells().get(`${x},${y}`);
    if (!places) return false;
    if (this.ghost?.x === x && this.ghost.y === y) this.rotate(1);
    else this.#setGhost(places[0]);
    if (places.length === 1 && this.building && setting("auto")) void this.commit();
    return true;
  }

  /** Show the ghost at a dragged tile, or none where the tile cannot be placed. @param {number} x @param {number} y */
  hover(x, y) {
    if (this.ghost?.x === x && this.ghost.y === y) return;
    const place = this.cells().get(`${x},${y}`)?.[0] ?? null;
    if (place || this.ghost) this.#setGhost(place);
  }

  /** @param {number} steps Through the legal rotations, clockwise. */
  rotate(steps) {
    const { ghost } = this;
    const places = ghost && this.cells().get(`${ghost.x},${ghost.y}`);
    if (!ghost || !places?.length) return;
    places.sort((a, b) => a.rotation - b.rotation);
    const index = places.findIndex((place) => same(place, ghost));
    this.#setGhost(places[(index + steps + places.length) % places.length]);
  }

  cancel() {
    if (this.ghost) this.#setGhost(null);
    else this.select(null);
  }

  async commit() {
    const { ghost, store } = this;
    if (!ghost || !this.building || store.blocked || !store.actions) return;
    const { tile, x, y, rotation } = ghost;
    this.#loading.abort(); // a placed tile has no places
    this.#loading = new AbortController();
    this.tile = null;
    this.#setGhost(null);
    await store.place({ tile, x, y, rotation });
  }

  /** Remove the choice or the ghost that the server no longer allows. */
  refresh() {
    const { store, tile, ghost } = this;
    if (!tile) return;
    const held = store.view.players.some(({ territory }) => territory.some((placed) => placed.tile === tile));
    if (held || store.view.status !== "playing") return this.select(null);
    if (!this.building || !store.actions || store.busy) return;
    if (!this.legal(tile).length) this.select(null);
    else if (ghost && !this.legal(tile).some((place) => same(place, ghost))) this.#setGhost(null);
  }

  /** @param {Legal | null} ghost */
  #setGhost(ghost) {
    this.ghost = ghost;
    clearTimeout(this.#timer);
    if (ghost) this.#timer = setTimeout(() => this.#sayGhost(ghost), SPOKEN_MS);
    this.changed();
  }

  /** @param {Legal} ghost */
  #sayGhost(ghost) {
    const places = this.cells().get(`${ghost.x},${ghost.y}`) ?? [];
    const number =
      places
        .map(({ rotation }) => rotation)
        .sort((a, b) => a - b)
        .indexOf(ghost.rotation) + 1;
    announce(
      t("status.ghost", {
        place: placeName(ghost.x, ghost.y),
        number,
        count: places.length,
        gains: ghost.gains ? gainsInWords(ghost) : "",
      }),
    );
  }
}

/** @param {Placed} a @param {Placed} b */
function same(a, b) {
  return a.tile === b.tile && a.x === b.x && a.y === b.y && a.rotation === b.rotation;
}

/** @param {Legal} place */
function gainsInWords({ gains = [], scroll_points: scrolls }) {
  const parts = gains
    .filter(({ points }) => points)
    .map(({ scoring_tile: id, points }) => `${t(`scoring.${id}.title`)} ${signed(points ?? 0)}`);
  if (scrolls) parts.push(`${t("gains.scrolls")} ${signed(scrolls)}`);
  return parts.join(", ") || t("gains.none");
}

/** Return the box of the cells of a territory. @param {readonly {x: number, y: number}[]} territory */
export function boundsOf(territory) {
  const [xs, ys] = [territory.map(({ x }) => x), territory.map(({ y }) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { left, top, columns: Math.max(...xs) - left + 1, rows: Math.max(...ys) - top + 1 };
}

/** Return a cell in words, as in "1 east, 2 north". @param {number} x @param {number} y */
export function placeName(x, y) {
  const parts = [];
  if (x) parts.push(t(x > 0 ? "place.east" : "place.west", { steps: Math.abs(x) }));
  if (y) parts.push(t(y > 0 ? "place.south" : "place.north", { steps: Math.abs(y) }));
  return parts.join(", ") || t("place.castle");
}
