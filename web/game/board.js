import { attribute, button, h, keyed, setText, whenChanged } from "../shared/dom.js";
import { edgeGlyphs, sidesWithGlyphs } from "./edges.js";
import { signed, t } from "../shared/i18n.js";
import { loadTileWords, tileNameAndWords, tileWordsLoaded } from "../shared/tile-words.js";
import { tilePicture } from "../state/pictures.js";
import { boundsOf, placeName } from "./place.js";
import { noteOn } from "./tile-note.js";
import { setting } from "../state/settings.js";
import { Viewport } from "./viewport.js";

const TAP_MIN = 44;
const TAP_COMFORTABLE = 64;
const ZOOM = 1.25;

/** @typedef {import("../state/api.js").Player} Player */
/** @typedef {import("./place.js").Placing} Placing */
/** @typedef {import("../state/types.js").Cell} Cell */

/** A territory as a grid: one tab stop, arrow keys move between cells. */
export class Board {
  /** The cells of the grid. @type {import("./viewport.js").Bounds} */
  #bounds = { left: -1, top: -1, columns: 3, rows: 3 };
  #at = { x: 0, y: 0 };
  /** The tile whose legal cells were brought into sight. @type {string | null} */
  #revealed = null;
  /** The last arguments of `show`. @type {Parameters<Board["show"]> | null} */
  #shown = null;

  /**
   * @param {Placing | null} placing Null where tiles cannot be placed.
   * @param {() => string} rulesetOf Returns the ruleset of the game.
   */
  constructor(placing, rulesetOf) {
    this.placing = placing;
    this.rulesetOf = rulesetOf;
    this.grid = h("div", {
      class: "grid",
      role: "grid",
      dir: "ltr",
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.#key(event),
    });
    this.scroller = h("div", { class: "scroller", dir: "ltr" }, this.grid);
    this.title = h("h2", {});
    this.viewport = new Viewport(this.scroller, this.grid, () => this.#bounds);
    const tools = h(
      "div",
      { class: "tools" },
      button(t("board.fit"), () => this.viewport.fitAll(), { class: "small" }),
      button("+", () => this.viewport.zoom(ZOOM), { class: "small", "aria-label": t("board.zoom_in") }),
      button("−", () => this.viewport.zoom(1 / ZOOM), { class: "small", "aria-label": t("board.zoom_out") }),
    );
    this.root = h("section", { class: "board" }, h("div", { class: "board-head" }, this.title, tools), this.scroller);
    this.scroller.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    /** Tiles to highlight. @type {Set<string>} */
    this.highlighted = new Set();
    /** The phase: a new one may choose another scale. */
    this.moment = "";
  }

  /**
   * @param {Player} player
   * @param {boolean} mine Whether this is our territory, which shows the ghost.
   * @param {import("../state/store.js").Placed | null} pending
   */
  show(player, mine, pending) {
    this.#shown = [player, mine, pending];
    setText(this.title, mine ? t("board.mine") : t("board.of", { name: player.name }));
    attribute(this.grid, "aria-label", this.title.textContent);
    const cells = this.#cells(player, mine, pending);
    loadTileWords(this.rulesetOf(), () => this.#shown && this.show(...this.#shown));
    keyed(
      this.grid,
      cells,
      (row) => row[0].y,
      (row) => this.#row(row),
    );
    attribute(this.grid, "aria-rowcount", cells.length);
    attribute(this.grid, "aria-colcount", cells[0].length);
    this.grid.style.setProperty("--columns", String(cells[0].length));
    this.#bounds = { left: cells[0][0].x, top: cells[0][0].y, columns: cells[0].length, rows: cells.length };
    this.viewport.show(String(player.seat), this.moment);
    this.#revealLegal(cells.flat());
    this.#focusable();
  }

  /** Once a tile is chosen, pan to the cells where it fits. @param {Cell[]} cells */
  #revealLegal(cells) {
    const tile = this.placing?.tile ?? null;
    const legal = cells.filter(({ turns }) => turns > 0);
    if (tile === this.#revealed || (tile && !legal.length)) return;
    this.#revealed = tile;
    if (tile) this.viewport.reveal(boundsOf(legal));
  }

  /**
   * @param {Player} player
   * @param {boolean} mine
   * @param {import("../state/store.js").Placed | null} pending
   * @returns {Cell[][]}
   */
  #cells(player, mine, pending) {
    const laid = new Map(player.territory.map((tile) => [`${tile.x},${tile.y}`, tile]));
    const ghost = mine ? (this.placing?.ghost ?? null) : null;
    const turns = mine ? this.placing?.cells() : undefined;
    const { left, top, columns, rows } = boundsOf(player.territory);
    const range = (/** @type {number} */ first, /** @type {number} */ length) =>
      Array.from({ length: length + 2 }, (_, index) => first - 1 + index);
    return range(top, rows).map((y) =>
      range(left, columns).map((x) => {
        const here = ghost?.x === x && ghost.y === y;
        const tile = here ? ghost : (laid.get(`${x},${y}`) ?? null);
        return {
          x,
          y,
          tile: tile?.tile ?? null,
          rotation: tile?.rotation ?? 0,
          ghost: here,
          turns: turns?.get(`${x},${y}`)?.length ?? 0,
          best: this.#best(turns?.get(`${x},${y}`)),
          waiting: pending?.x === x && pending.y === y,
          sides: tile && (mine || setting("edges")) ? sidesWithGlyphs({ x, y }, ghost) : [],
          highlighted: tile !== null && this.highlighted.has(tile.tile),
        };
      }),
    );
  }

  /**
   * Return the points that the best rotation in a cell adds in this round.
   *
   * @param {import("../state/types.js").Legal[] | undefined} places
   */
  #best(places) {
    return places?.length ? (this.placing?.pointsNow(places[0]) ?? null) : null;
  }

  /** @param {Cell[]} row */
  #row(row) {
    const root = h("div", { role: "row", class: "row" });
    return {
      root,
      show: (/** @type {Cell[]} */ cells) =>
        keyed(
          root,
          cells,
          ({ x }) => x,
          (cell) => this.#cell(cell),
        ),
      row,
    };
  }

  /** @param {Cell} cell */
  #cell({ x, y }) {
    const picture = h("img", { alt: "", draggable: "false" });
    const dots = h("span", { class: "dots", "aria-hidden": "true" });
    const signs = h("span", { class: "edges", "aria-hidden": "true" });
    const best = h("span", { class: "best", "aria-hidden": "true" });
    const root = h(
      "div",
      {
        role: "gridcell",
        class: "cell",
        tabindex: -1,
        "data-x": x,
        "data-y": y,
        onclick: (/** @type {PointerEvent} */ event) => this.#tap(x, y, event.pointerType),
        onfocus: () => {
          this.#at = { x, y };
        },
      },
      signs,
      best,
      dots,
    );
    /** @type {string | null} */
    let shown = null;
    let rotation = 0;
    noteOn(
      root,
      this.rulesetOf(),
      () => shown,
      () => rotation,
    );
    const [changed, sidesChanged] = [whenChanged(), whenChanged()];
    const draw = (/** @type {Cell} */ cell) => {
      root.className = [
        "cell",
        cell.tile ? "tile" : "",
        cell.ghost ? "ghost" : "",
        cell.turns ? "legal" : "",
        cell.waiting ? "waiting" : "",
        cell.highlighted ? "highlighted" : "",
      ]
        .filter(Boolean)
        .join(" ");
      if (shown !== cell.tile) attribute(root, "title", null);
      shown = cell.tile;
      rotation = cell.rotation;
      attribute(root, "data-tile", cell.tile);
      attribute(root, "data-rotation", cell.tile ? rotation : null);
      if (cell.tile) {
        attribute(picture, "src", tilePicture(this.rulesetOf(), cell.tile, cell.rotation));
        if (!picture.isConnected) root.prepend(picture);
      } else picture.remove();
      const count = cell.tile && !cell.ghost ? 0 : cell.turns;
      if (dots.childElementCount !== count) dots.replaceChildren(...Array.from({ length: count }, () => h("i")));
      sidesChanged([cell.tile, cell.rotation, cell.sides, tileWordsLoaded(this.rulesetOf())], () =>
        signs.replaceChildren(...edgeGlyphs(this.rulesetOf(), cell.tile ?? "", cell.rotation, cell.sides)),
      );
      setText(best, count && !cell.ghost && cell.best ? signed(cell.best) : "");
      attribute(root, "aria-label", label(cell, this.rulesetOf()));
    };
    return {
      root,
      show: (/** @type {Cell} */ cell) => changed([cell, tileWordsLoaded(this.rulesetOf())], () => draw(cell)),
    };
  }

  /**
   * Show the ghost, or rotate it. Where cells are too small for a finger, the first tap only zooms in.
   *
   * @param {number} x
   * @param {number} y
   * @param {string} pointer
   */
  #tap(x, y, pointer) {
    this.#at = { x, y };
    if (pointer === "touch" && this.viewport.cell < TAP_MIN) {
      this.viewport.zoom(TAP_COMFORTABLE / this.viewport.cell);
      this.#at = { x, y };
      this.grid.querySelector(`[data-x="${x}"][data-y="${y}"]`)?.scrollIntoView({ block: "center", inline: "center" });
    } else this.placing?.tap(x, y);
  }

  /** Keep exactly one cell in the tab order. */
  #focusable() {
    const cells = /** @type {HTMLElement[]} */ ([...this.grid.querySelectorAll("[role=gridcell]")]);
    const current =
      cells.find((cell) => this.#isAt(cell)) ?? cells.find(({ dataset }) => dataset.rotation !== undefined) ?? cells[0];
    for (const cell of cells) if (cell !== current && cell.tabIndex === 0) cell.tabIndex = -1;
    if (current && current.tabIndex !== 0) current.tabIndex = 0;
  }

  /** @param {HTMLElement} cell */
  #isAt(cell) {
    return Number(cell.dataset.x) === this.#at.x && Number(cell.dataset.y) === this.#at.y;
  }

  /** Move the focus to a cell. @param {number} x @param {number} y */
  focus(x, y) {
    const cell = /** @type {HTMLElement | null} */ (this.grid.querySelector(`[data-x="${x}"][data-y="${y}"]`));
    if (!cell) return;
    this.#at = { x, y };
    this.#focusable();
    cell.focus();
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Move the focus to the next cell where the chosen tile can be placed. @param {number} step */
  nextLegal(step) {
    const cells = [...(this.placing?.cells().keys() ?? [])]
      .map((key) => key.split(",").map(Number))
      .sort(([ax, ay], [bx, by]) => ay - by || ax - bx);
    if (!cells.length) return;
    const index = cells.findIndex(([x, y]) => x === this.#at.x && y === this.#at.y);
    const [x, y] = cells[index < 0 ? 0 : (index + step + cells.length) % cells.length];
    this.focus(x, y);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { x, y } = this.#at;
    const { left, top, columns, rows } = this.#bounds;
    const [right, bottom] = [left + columns - 1, top + rows - 1];
    /** @type {Record<string, [number, number]>} */
    const moves = {
      ArrowLeft: [x - 1, y],
      ArrowRight: [x + 1, y],
      ArrowUp: [x, y - 1],
      ArrowDown: [x, y + 1],
      Home: [left, event.ctrlKey ? top : y],
      End: [right, event.ctrlKey ? bottom : y],
    };
    const move = moves[event.key];
    if (move) this.focus(...move);
    else if (event.key === "Enter" || event.key === " ") this.#enter(x, y);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Handle Enter: the first one shows the ghost, the second one places the tile.
   *
   * @param {number} x
   * @param {number} y
   */
  #enter(x, y) {
    const ghost = this.placing?.ghost;
    if (ghost?.x === x && ghost.y === y) void this.placing?.commit();
    else this.placing?.tap(x, y);
  }

  /** Rotate the ghost below the mouse wheel. @param {WheelEvent} event */
  #wheel(event) {
    if (event.ctrlKey || !(event.target instanceof Element) || !event.target.closest(".ghost")) return;
    event.preventDefault();
    this.placing?.rotate(event.deltaY > 0 ? 1 : -1);
  }
}

/** Return the text of a cell for screen readers. @param {Cell} cell @param {string} ruleset */
function label(cell, ruleset) {
  const place = placeName(cell.x, cell.y);
  const tile = cell.tile && tileNameAndWords(ruleset, cell.tile, cell.rotation);
  if (tile) return t(cell.ghost ? "cell.ghost" : "cell.tile", { place, tile });
  if (!cell.turns) return t("cell.empty", { place });
  return t("cell.legal", { place, count: cell.turns }) + (cell.best ? `, ${signed(cell.best)}` : "");
}
