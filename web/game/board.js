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
const NONE = new Set();

/** @typedef {import("../state/api.js").Player} Player */
/** @typedef {import("./place.js").Placing} Placing */
/** @typedef {import("../state/types.js").Cell} Cell */

/**
 * @typedef {object} Shown What the board shows.
 * @property {Player} player
 * @property {boolean} mine Whether it is our territory, which shows the ghost.
 * @property {import("../state/store.js").Placed | null} pending Our placement that the server has not confirmed.
 * @property {string} moment The round: a new one may choose another scale.
 * @property {readonly {x: number, y: number}[] | null} [all] While points are counted, the tiles of all territories: the
 * board has the cells of all of them, so that each is shown at the same place and scale.
 * @property {readonly string[]} highlighted
 * @property {ReadonlySet<string>} [fresh] The tiles that were placed when players built last.
 */

/**
 * Create a territory as a grid: one tab stop, arrow keys move between cells.
 *
 * @param {Placing | null} placing Null where tiles cannot be placed.
 * @param {() => string} rulesetOf Returns the ruleset of the game.
 */
export function territoryBoard(placing, rulesetOf) {
  /** The cells of the grid. @type {import("./viewport.js").Bounds} */
  let bounds = { left: -1, top: -1, columns: 3, rows: 3 };
  /** The cell in the tab order. */
  let at = { x: 0, y: 0 };
  /** The tile whose legal cells were brought into sight. @type {string | null} */
  let revealed = null;
  /** @type {Shown | null} */
  let latest = null;
  /** The elements of the cells, by their place as in "1,-2". @type {Map<string, HTMLElement>} */
  const boxes = new Map();
  /** Whose territory the grid shows, and whether points are being counted. */
  let subject = "";
  const changed = whenChanged();
  const grid = h("div", { class: "grid", role: "grid", dir: "ltr", onkeydown: pressed });
  const scroller = h("div", { class: "scroller", dir: "ltr" }, grid);
  const title = h("h2", {});
  const viewport = new Viewport(scroller, grid, () => bounds);
  const tools = h(
    "div",
    { class: "tools" },
    button(t("board.fit"), () => viewport.fitAll(), { class: "small" }),
    button("+", () => viewport.zoom(ZOOM), { class: "small", "aria-label": t("board.zoom_in") }),
    button("−", () => viewport.zoom(1 / ZOOM), { class: "small", "aria-label": t("board.zoom_out") }),
  );
  const legend = h("p", { class: "legend" });
  const root = h("section", { class: "board" }, h("div", { class: "board-head" }, tools, title, legend), scroller);
  scroller.addEventListener("wheel", turned, { passive: false });

  /** @param {Shown} shown */
  function update(shown) {
    latest = shown;
    loadTileWords(rulesetOf(), () => latest && update(latest));
    const cells = cellsOf(shown);
    const { seat, name } = shown.player;
    const isCounting = Boolean(shown.all);
    changed([cells, seat, name, shown.mine, shown.moment, isCounting, tileWordsLoaded(rulesetOf())], () =>
      draw(shown, cells),
    );
    keepFocusable(cells.flat());
    revealLegal(cells.flat());
    explainSigns(cells.flat());
  }

  /** Say what the signs in the cells mean, while there are some. @param {Cell[]} cells */
  function explainSigns(cells) {
    const best = Math.max(...cells.map((cell) => (cell.ghost ? 0 : (cell.best ?? 0))));
    const signs = [t("board.dots"), ...(best > 0 ? [t("board.best", { points: signed(best) })] : [])];
    setText(legend, cells.some(({ turns }) => turns > 0) ? signs.join(" ") : "");
  }

  /** @param {Shown} shown @param {Cell[][]} cells */
  function draw({ player, mine, moment, highlighted, all }, cells) {
    replaceFor(`${player.seat}.${Boolean(all)}`);
    setText(title, mine ? t("board.mine") : t("board.of", { name: player.name }));
    attribute(grid, "aria-label", title.textContent);
    keyed(grid, cells, (line) => line[0].y, row);
    attribute(grid, "aria-rowcount", cells.length);
    attribute(grid, "aria-colcount", cells[0].length);
    grid.style.setProperty("--columns", String(cells[0].length));
    bounds = { left: cells[0][0].x, top: cells[0][0].y, columns: cells[0].length, rows: cells.length };
    grid.classList.toggle("lit", highlighted.length > 0);
    viewport.update(String(player.seat), moment, Boolean(all));
  }

  /**
   * Lay the grid out again when it shows another territory, which then appears and does not move, also for a measurement
   * of layout shifts. A grid with the focus stays.
   *
   * @param {string} next
   */
  function replaceFor(next) {
    if (next === subject || grid.contains(document.activeElement)) return;
    subject = next;
    scroller.replaceChildren(grid);
  }

  /** Once a tile is chosen, pan to the cells where it fits. @param {Cell[]} cells */
  function revealLegal(cells) {
    const tile = placing?.tile ?? null;
    const legal = cells.filter(({ turns }) => turns > 0);
    if (tile === revealed || (tile && !legal.length)) return;
    revealed = tile;
    if (tile) viewport.reveal(boundsOf(legal));
  }

  /** @param {Shown} shown @returns {Cell[][]} */
  function cellsOf({ player, mine, pending, highlighted, all, fresh = NONE }) {
    const laid = new Map(player.territory.map((tile) => [`${tile.x},${tile.y}`, tile]));
    const isLaid = (/** @type {number} */ x, /** @type {number} */ y) => laid.has(`${x},${y}`);
    const isLit = (/** @type {number} */ x, /** @type {number} */ y) =>
      highlighted.includes(laid.get(`${x},${y}`)?.tile ?? "");
    const ghost = mine ? (placing?.ghost ?? null) : null;
    const turns = mine ? placing?.cells() : undefined;
    const { left, top, columns, rows } = boundsOf(all ?? player.territory);
    const range = (/** @type {number} */ first, /** @type {number} */ length) =>
      Array.from({ length: length + 2 }, (_, index) => first - 1 + index);
    return range(top, rows).map((y) =>
      range(left, columns).map((x) => {
        const here = ghost?.x === x && ghost.y === y;
        const tile = here ? ghost : (laid.get(`${x},${y}`) ?? null);
        const places = turns?.get(`${x},${y}`) ?? [];
        return {
          x,
          y,
          tile: tile?.tile ?? null,
          rotation: tile?.rotation ?? 0,
          ghost: here,
          turns: places.length,
          best: places.length ? (placing?.pointsNow(places[0]) ?? null) : null,
          waiting: pending?.x === x && pending.y === y,
          sides: tile && (mine || setting("edges")) ? sidesWithGlyphs({ x, y }, ghost, isLaid) : [],
          highlighted: isLit(x, y),
          rim: isLit(x, y) ? [!isLit(x, y - 1), !isLit(x + 1, y), !isLit(x, y + 1), !isLit(x - 1, y)] : [],
          fresh: tile !== null && !here && fresh.has(tile.tile),
        };
      }),
    );
  }

  function row() {
    const line = h("div", { role: "row", class: "row" });
    return { root: line, update: (/** @type {Cell[]} */ cells) => keyed(line, cells, ({ x }) => x, cellBox) };
  }

  /** @param {Cell} cell */
  function cellBox({ x, y }) {
    const picture = h("img", { alt: "", draggable: "false" });
    const dots = h("span", { class: "dots", "aria-hidden": "true" });
    const signs = h("span", { class: "edges", "aria-hidden": "true" });
    const best = h("span", { class: "best", "aria-hidden": "true" });
    const box = h(
      "div",
      {
        role: "gridcell",
        class: "cell",
        tabindex: -1,
        "data-x": x,
        "data-y": y,
        onclick: (/** @type {PointerEvent} */ event) => tap(x, y, event.pointerType),
        onfocus: () => {
          at = { x, y };
        },
      },
      signs,
      best,
      dots,
    );
    boxes.set(`${x},${y}`, box);
    /** @type {string | null} */
    let shown = null;
    let rotation = 0;
    noteOn(
      box,
      rulesetOf(),
      () => shown,
      () => rotation,
    );
    const [cellChanged, sidesChanged] = [whenChanged(), whenChanged()];
    const drawCell = (/** @type {Cell} */ cell) => {
      box.className = [
        "cell",
        cell.tile ? "tile" : "",
        cell.ghost ? "ghost" : "",
        cell.turns ? "legal" : "",
        cell.waiting ? "waiting" : "",
        cell.highlighted ? "highlighted" : "",
        ...cell.rim.map((isRim, side) => (isRim ? `rim-${"nesw"[side]}` : "")),
        cell.fresh ? "fresh" : "",
      ]
        .filter(Boolean)
        .join(" ");
      const isFree = !cell.tile && cell.turns > 0;
      if (shown !== cell.tile || !cell.tile)
        attribute(box, "title", isFree ? t("board.fits", { count: cell.turns }) : null);
      shown = cell.tile;
      rotation = cell.rotation;
      attribute(box, "data-tile", cell.tile);
      attribute(box, "data-rotation", cell.tile ? rotation : null);
      if (cell.tile) {
        attribute(picture, "src", tilePicture(rulesetOf(), cell.tile, cell.rotation));
        if (!picture.isConnected) box.prepend(picture);
      } else picture.remove();
      const count = cell.tile && !cell.ghost ? 0 : cell.turns;
      if (dots.childElementCount !== count) dots.replaceChildren(...Array.from({ length: count }, () => h("i")));
      sidesChanged([cell.tile, cell.rotation, cell.sides, tileWordsLoaded(rulesetOf())], () =>
        signs.replaceChildren(...edgeGlyphs(rulesetOf(), cell.tile ?? "", cell.rotation, cell.sides)),
      );
      setText(best, count && !cell.ghost && cell.best ? signed(cell.best) : "");
      attribute(box, "aria-label", label(cell, rulesetOf()));
    };
    return {
      root: box,
      update: (/** @type {Cell} */ cell) => cellChanged([cell, tileWordsLoaded(rulesetOf())], () => drawCell(cell)),
    };
  }

  /**
   * Show the ghost, or rotate it. Where cells are too small for a finger, the first tap only zooms in.
   *
   * @param {number} x
   * @param {number} y
   * @param {string} pointer
   */
  function tap(x, y, pointer) {
    at = { x, y };
    if (pointer === "touch" && viewport.cell < TAP_MIN) {
      viewport.zoom(TAP_COMFORTABLE / viewport.cell);
      boxes.get(`${x},${y}`)?.scrollIntoView({ block: "center", inline: "center" });
    } else placing?.tap(x, y);
  }

  /** Keep exactly one cell in the tab order: the one of now, or the first with a tile. @param {Cell[]} cells */
  function keepFocusable(cells) {
    const known = cells.some(({ x, y }) => x === at.x && y === at.y);
    const current = known ? at : (cells.find(({ tile }) => tile) ?? cells[0]);
    for (const { x, y } of cells) {
      const box = boxes.get(`${x},${y}`);
      const index = x === current.x && y === current.y ? 0 : -1;
      if (box && box.tabIndex !== index) box.tabIndex = index;
    }
  }

  /** Move the focus to a cell. @param {number} x @param {number} y */
  function focus(x, y) {
    const box = boxes.get(`${x},${y}`);
    if (!box?.isConnected || !latest) return;
    at = { x, y };
    keepFocusable(cellsOf(latest).flat());
    box.focus();
    box.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Move the focus to the next cell where the chosen tile can be placed. @param {number} step */
  function nextLegal(step) {
    const cells = [...(placing?.cells().keys() ?? [])]
      .map((key) => key.split(",").map(Number))
      .sort(([ax, ay], [bx, by]) => ay - by || ax - bx);
    if (!cells.length) return;
    const index = cells.findIndex(([x, y]) => x === at.x && y === at.y);
    const [x, y] = cells[index < 0 ? 0 : (index + step + cells.length) % cells.length];
    focus(x, y);
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const { x, y } = at;
    const { left, top, columns, rows } = bounds;
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
    if (move) focus(...move);
    else if (event.key === "Enter" || event.key === " ") enter(x, y);
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
  function enter(x, y) {
    const ghost = placing?.ghost;
    if (ghost?.x === x && ghost.y === y) void placing?.commit();
    else placing?.tap(x, y);
  }

  /** Rotate the ghost below the mouse wheel. @param {WheelEvent} event */
  function turned(event) {
    const ghost = placing?.ghost;
    const box = ghost && boxes.get(`${ghost.x},${ghost.y}`);
    if (event.ctrlKey || !box?.contains(/** @type {Node} */ (event.target))) return;
    event.preventDefault();
    placing?.rotate(event.deltaY > 0 ? 1 : -1);
  }

  return {
    root,
    update,
    nextLegal,
    fitAll: () => viewport.fitAll(),
    /** Return the element of a tile that lies in the territory. @param {string} tile */
    cellOf(tile) {
      const placed = latest?.player.territory.find((one) => one.tile === tile);
      return (placed && boxes.get(`${placed.x},${placed.y}`)) ?? null;
    },
  };
}

/** Return the text of a cell for screen readers. @param {Cell} cell @param {string} ruleset */
function label(cell, ruleset) {
  const place = placeName(cell.x, cell.y);
  const tile = cell.tile && tileNameAndWords(ruleset, cell.tile, cell.rotation);
  const text = tile && t(cell.ghost ? "cell.ghost" : "cell.tile", { place, tile });
  if (text) return cell.fresh ? t("cell.fresh", { cell: text }) : text;
  if (!cell.turns) return t("cell.empty", { place });
  return t("cell.legal", { place, count: cell.turns }) + (cell.best ? `, ${signed(cell.best)}` : "");
}
