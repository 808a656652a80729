import { announce } from "./dom.js";
import { signed, t } from "./i18n.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./store.js").Placed} Placed */
/** @typedef {{slots: {slot: string, id: string, gain: number | null}[], scrolls: number | null}} Gains */

const DEBOUNCE_MS = 80;

/** The tile that our seat is about to place: chosen tile, chosen cell, chosen rotation, and what it would gain. */
export class Placing {
  /** @type {Map<string, Promise<Gains | null>>} */
  #asked = new Map();
  #territory = "";
  #timer = 0;

  /**
   * @param {Store} store
   * @param {() => void} changed
   */
  constructor(store, changed) {
    this.store = store;
    this.changed = changed;
    /** @type {string | null} */
    this.tile = null;
    /** @type {Placed | null} */
    this.ghost = null;
    /** What the ghost would gain; null while it is not known. @type {Gains | null} */
    this.gains = null;
  }

  /** The legal placements of a tile. @param {string | null} tile @returns {Placed[]} */
  legal(tile) {
    const placements = (this.store.actions ?? []).filter((action) => action.type === "place").map((action) => action.body);
    return /** @type {any} */ (placements.filter((body) => body?.tile === tile));
  }

  /** The legal rotations of the chosen tile by cell, as in "1,-2". @returns {Map<string, number[]>} */
  cells() {
    /** @type {Map<string, number[]>} */
    const cells = new Map();
    for (const { x, y, rotation } of this.legal(this.tile)) {
      cells.set(`${x},${y}`, [...(cells.get(`${x},${y}`) ?? []), rotation]);
    }
    return cells;
  }

  /** @param {string | null} tile */
  select(tile) {
    this.tile = tile;
    this.#show(null);
    if (!tile) return;
    const cells = this.cells();
    announce(t("status.places", { tile, count: this.legal(tile).length, cells: cells.size }));
  }

  /**
   * Show the ghost on a cell, or turn it when it is there already.
   *
   * @param {number} x
   * @param {number} y
   * @returns {boolean} Whether the tile can lie there.
   */
  tap(x, y) {
    const rotations = this.cells().get(`${x},${y}`);
    if (!rotations || !this.tile) return false;
    if (this.ghost?.x === x && this.ghost.y === y) this.rotate(1);
    else this.#show({ tile: this.tile, x, y, rotation: rotations[0] });
    return true;
  }

  /** @param {number} steps Through the legal rotations. */
  rotate(steps) {
    const { ghost } = this;
    const rotations = ghost && this.cells().get(`${ghost.x},${ghost.y}`);
    if (!ghost || !rotations?.length) return;
    const index = (rotations.indexOf(ghost.rotation) + steps + rotations.length) % rotations.length;
    this.#show({ ...ghost, rotation: rotations[index] });
  }

  cancel() {
    if (this.ghost) this.#show(null);
    else this.select(null);
  }

  async commit() {
    const { ghost, store } = this;
    if (!ghost || store.busy || !store.actions) return;
    this.tile = null;
    this.#show(null);
    await store.place(ghost);
  }

  /** Forget what the server no longer allows. */
  refresh() {
    const { store } = this;
    if (!store.actions) return;
    if (this.tile && !this.legal(this.tile).length) this.select(null);
    const { ghost } = this;
    if (ghost && !this.cells().get(`${ghost.x},${ghost.y}`)?.includes(ghost.rotation)) this.#show(null);
  }

  /** @param {Placed | null} ghost */
  #show(ghost) {
    this.ghost = ghost;
    this.gains = null;
    clearTimeout(this.#timer);
    if (ghost) this.#timer = setTimeout(() => void this.#tryGhost(ghost), DEBOUNCE_MS);
    this.changed();
  }

  /** @param {Placed} ghost */
  async #tryGhost(ghost) {
    const gains = await this.gainsOf(ghost);
    if (this.ghost !== ghost) return;
    this.gains = gains;
    this.changed();
    const rotations = this.cells().get(`${ghost.x},${ghost.y}`) ?? [];
    announce(t("status.ghost", {
      place: placeName(ghost.x, ghost.y), number: rotations.indexOf(ghost.rotation) + 1, count: rotations.length,
      gains: gains ? gainsInWords(gains) : "",
    }));
  }

  /**
   * What a placement would gain. Asked once for each state of the territory.
   *
   * @param {Placed} placement
   * @returns {Promise<Gains | null>}
   */
  gainsOf(placement) {
    const territory = JSON.stringify(this.store.me?.territory);
    if (territory !== this.#territory) this.#asked.clear();
    this.#territory = territory;
    const key = JSON.stringify(placement);
    const asked = this.#asked.get(key) ?? this.#ask(placement);
    this.#asked.set(key, asked);
    return asked;
  }

  /** @param {Placed} placement @returns {Promise<Gains | null>} */
  async #ask({ tile, x, y, rotation }) {
    const { store } = this;
    if (store.seat === null) return null;
    try {
      const result = await store.game.seat(store.seat).whatIf([{ tile, x, y, rotation }]);
      const slots = result.scoring_tiles.map(({ slot, id, before, after }) => (
        { slot, id, gain: before === null || after === null ? null : after - before }));
      const { before, after } = result.scrolls;
      return { slots, scrolls: after === null ? null : after - before };
    } catch {
      this.#asked.clear();
      return null;
    }
  }
}

/** @param {Gains} gains */
export function gainsInWords(gains) {
  const parts = gains.slots.filter(({ gain }) => gain).map(({ id, gain }) => `${t(`scoring.${id}.title`)} ${signed(gain ?? 0)}`);
  if (gains.scrolls) parts.push(`${t("gains.scrolls")} ${signed(gains.scrolls)}`);
  return parts.join(", ") || t("gains.none");
}

/** A cell in words, as in "1 east, 2 north". @param {number} x @param {number} y */
export function placeName(x, y) {
  const parts = [];
  if (x) parts.push(t(x > 0 ? "place.east" : "place.west", { steps: Math.abs(x) }));
  if (y) parts.push(t(y > 0 ? "place.south" : "place.north", { steps: Math.abs(y) }));
  return parts.join(", ") || t("place.castle");
}
