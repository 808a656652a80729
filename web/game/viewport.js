/** The minimum size of cells until the user zooms; `fitAll` goes further. */
const CELL_MIN = 48;
const CELL_SMALLEST = 12;
const CELL_MAX = 200;
/**
 * Cells up to this size have room for one more row and column on each side, so that tiles which are placed move
 * nothing.
 */
const CELL_ROOMY = 64;
const CELL_FIRST = 112;
/**
 * In a window of at least this width the first scale has no other limit than `CELL_MAX`, and a small territory, with the free
 * cells around it, fills this part of the tighter side.
 */
const WIDE = 1920;
const FILLED = 0.75;

/** @typedef {{left: number, top: number, columns: number, rows: number}} Bounds A box of cells. */
/**
 * @typedef {{cell: number, x: number, y: number}} View The size of cells, and where the cell (0, 0) is in the scroller, in pixels.
 */

/**
 * The zoom and the position of a board in its scroller. The scale is chosen when a round begins, and changes only when the user
 * zooms or changes the size of the window. A board that grows pans as little as needed.
 */
export class Viewport {
  #pinch = 0;
  /** The size of the scroller from its ResizeObserver: reading it from the element would force a layout. */
  #room = { width: 0, height: 0 };
  #window = "";
  /** The territory that is shown, and its moment: a new moment may choose another scale. */
  #subject = "";
  #moment = "";
  /** While points are counted: how the board was shown before. @type {View | null} */
  #held = null;
  /** By territory, how it was shown last. @type {Map<string, View>} */
  #views = new Map();
  /** @type {View} */
  #view = { cell: 72, x: 0, y: 0 };
  /** What must be in sight, as of now. @type {Bounds | null} */
  #wanted = null;
  /** @type {Map<number, PointerEvent>} */
  #pointers = new Map();

  /**
   * @param {HTMLElement} scroller
   * @param {HTMLElement} board Laid out in cells of the size `--cell`.
   * @param {() => Bounds} bounds Returns the cells that the board has.
   */
  constructor(scroller, board, bounds) {
    this.scroller = scroller;
    this.board = board;
    this.bounds = bounds;
    new ResizeObserver(
      ([
        {
          contentRect: { width, height },
        },
      ]) => this.#resized(width, height),
    ).observe(scroller);
    scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    scroller.addEventListener("pointerdown", (event) => {
      this.#pointers.set(event.pointerId, event);
      this.#pinch = 0;
    });
    for (const type of ["pointerup", "pointercancel", "pointerleave"]) {
      scroller.addEventListener(type, (event) => this.#pointers.delete(/** @type {PointerEvent} */ (event).pointerId));
    }
    scroller.addEventListener("pointermove", (event) => this.#pinched(event));
    scroller.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey) return; // a pinch on a trackpad sends this too
        event.preventDefault();
        this.zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1, event);
      },
      { passive: false },
    );
  }

  /** The size of a cell in pixels. */
  get cell() {
    return this.#view.cell;
  }

  /**
   * Show the board again after a change of its cells, of what it shows or of the phase.
   *
   * @param {string} subject Whose territory it is.
   * @param {string} moment The round.
   * @param {boolean} [isHeld] Whether the scale and the position stay: the board has the cells of all territories.
   */
  update(subject, moment, isHeld = false) {
    if (isHeld) {
      if (!this.#held) {
        this.#held = { ...this.#view };
        if (!this.#contains()) this.#choose(CELL_SMALLEST);
      }
      return this.#place();
    }
    if (this.#held) this.#view = this.#held;
    this.#held = null;
    if (subject !== this.#subject) {
      this.#views.set(this.#subject, this.#view);
      this.#subject = subject;
      const before = this.#views.get(subject);
      if (before) this.#view = { ...before };
      if (!before || (moment !== this.#moment && !this.#fits())) this.#choose();
    } else if (moment !== this.#moment && !this.#fits()) this.#choose();
    this.#moment = moment;
    this.#place();
  }

  /** Show the whole board, however small its cells are. */
  fitAll() {
    this.#choose(CELL_SMALLEST);
    this.#place();
  }

  /** Pan as little as needed, so that these cells are in sight. @param {Bounds | null} box */
  reveal(box) {
    this.#wanted = box;
    this.#place();
    this.#wanted = null;
  }

  /**
   * Zoom about a point of the window; without one, about the middle.
   *
   * @param {number} factor
   * @param {{clientX: number, clientY: number}} [about]
   */
  zoom(factor, about) {
    const { cell, x, y } = this.#view;
    const to = limited(cell * factor);
    const box = about && this.scroller.getBoundingClientRect();
    const across = about && box ? about.clientX - box.left : this.#room.width / 2;
    const down = about && box ? about.clientY - box.top : this.#room.height / 2;
    this.#view = { cell: to, x: across + ((x - across) * to) / cell, y: down + ((y - down) * to) / cell };
    this.#place();
  }

  /** Whether all cells have their place at the scale of now, or cannot be larger than the smallest cells anyway. */
  #fits() {
    return this.#view.cell <= CELL_MIN || !this.#room.width || this.#contains();
  }

  /** Whether all cells have their place at the scale of now. */
  #contains() {
    const { columns, rows } = this.bounds();
    const { cell } = this.#view;
    return columns * cell <= this.#room.width && rows * cell <= this.#room.height;
  }

  /** Choose the scale, and put the board into the middle. @param {number} [smallest] */
  #choose(smallest = CELL_MIN) {
    const { left, top, columns, rows } = this.bounds();
    const { width, height } = this.#room;
    if (!width) return;
    const tight = Math.min(width / columns, height / rows);
    const growing = Math.min(width / (columns + 2), height / (rows + 2));
    const roomy = innerWidth < WIDE ? Math.min(CELL_FIRST, growing) : Math.max(growing, FILLED * tight);
    const cell = limited(
      Math.max(smallest, smallest < CELL_MIN ? tight : Math.max(roomy, Math.min(tight, CELL_ROOMY))),
    );
    const middle = (/** @type {number} */ first, /** @type {number} */ count, /** @type {number} */ room) => {
      const start = (room - count * cell) / 2 - first * cell;
      return Math.max(0, Math.min(room - cell, start)); // the castle is in sight
    };
    this.#view = { cell, x: middle(left, columns, width), y: middle(top, rows, height) };
  }

  /** Write the scale and the position into the page. */
  #place() {
    const { left, top, columns, rows } = this.bounds();
    const { cell } = this.#view;
    const { width, height } = this.#room;
    if (!width || !columns) return;
    const along = (
      /** @type {number} */ origin,
      /** @type {number} */ first,
      /** @type {number} */ count,
      /** @type {number} */ room,
      /** @type {[number, number] | null} */ wanted,
    ) => {
      let at = origin;
      if (wanted) at = Math.max(-wanted[0] * cell, Math.min(room - (wanted[0] + wanted[1]) * cell, at));
      const [start, size] = [at + first * cell, count * cell];
      return (
        (size <= room ? Math.max(0, Math.min(room - size, start)) : Math.max(room - size, Math.min(0, start))) -
        first * cell
      );
    };
    const { x: nearX, y: nearY } = this.#view;
    const wanted = this.#wanted;
    const x = Math.round(along(nearX, left, columns, width, wanted && [wanted.left, wanted.columns]));
    const y = Math.round(along(nearY, top, rows, height, wanted && [wanted.top, wanted.rows]));
    this.#view = { cell, x, y };
    const [startX, startY] = [x + left * cell, y + top * cell];
    const { style } = this.board;
    style.setProperty("--cell", `${cell}px`);
    style.marginLeft = `${Math.max(0, startX)}px`;
    style.marginTop = `${Math.max(0, startY)}px`;
    if (columns * cell > width || rows * cell > height) {
      this.scroller.scrollLeft = Math.max(0, -startX);
      this.scroller.scrollTop = Math.max(0, -startY);
    }
  }

  /** Take over where the user has scrolled to. */
  #scrolled() {
    const { left, top, columns, rows } = this.bounds();
    const { cell } = this.#view;
    if (columns * cell > this.#room.width) this.#view.x = -this.scroller.scrollLeft - left * cell;
    if (rows * cell > this.#room.height) this.#view.y = -this.scroller.scrollTop - top * cell;
  }

  /** @param {number} width @param {number} height */
  #resized(width, height) {
    if (!width || !height) return; // hidden
    const before = this.#room;
    this.#room = { width, height };
    const size = `${innerWidth}x${innerHeight}`;
    if (!before.width || size !== this.#window) {
      this.#views.clear();
      if (this.#held) this.#moment = ""; // the next scale is chosen for this size
      this.#choose(this.#held ? CELL_SMALLEST : CELL_MIN);
    } else {
      this.#view.x += (width - before.width) / 2;
      this.#view.y += (height - before.height) / 2;
    }
    this.#window = size;
    this.#place();
  }

  /** Zoom by two fingers. @param {PointerEvent} event */
  #pinched(event) {
    if (!this.#pointers.has(event.pointerId)) return;
    this.#pointers.set(event.pointerId, event);
    const [a, b] = this.#pointers.values();
    if (!b) return;
    const distance = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    const middle = { clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2 };
    if (this.#pinch) this.zoom(distance / this.#pinch, middle);
    this.#pinch = distance;
  }
}

/** @param {number} cell */
function limited(cell) {
  return Math.floor(Math.max(CELL_SMALLEST, Math.min(CELL_MAX, cell)));
}
