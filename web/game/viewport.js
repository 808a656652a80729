/** The minimum size of cells until the user zooms; `fitAll` goes further. */
const CELL_MIN = 48;
const CELL_SMALLEST = 12;
const CELL_MAX = 150;

/** The zoom of a board in its scroller. The browser's own scrolling pans. */
export class Viewport {
  #fitted = true;
  #smallest = CELL_MIN;
  #pinch = 0;
  /** The size of the scroller from its ResizeObserver: reading it from the element would force a layout. */
  #room = { width: 0, height: 0 };
  /** @type {Map<number, PointerEvent>} */
  #pointers = new Map();

  /**
   * @param {HTMLElement} scroller
   * @param {HTMLElement} board Laid out in cells of the size `--cell`.
   * @param {() => {columns: number, rows: number}} size
   */
  constructor(scroller, board, size) {
    this.scroller = scroller;
    this.board = board;
    this.size = size;
    this.cell = 72;
    new ResizeObserver(([{ contentRect: { width, height } }]) => {
      this.#room = { width, height };
      this.changed();
    }).observe(scroller);
    new ResizeObserver(() => { if (this.#fitted) this.#center(); }).observe(board);
    scroller.addEventListener("pointerdown", (event) => { this.#pointers.set(event.pointerId, event); this.#pinch = 0; });
    for (const type of ["pointerup", "pointercancel", "pointerleave"]) {
      scroller.addEventListener(type, (event) => this.#pointers.delete(/** @type {PointerEvent} */ (event).pointerId));
    }
    scroller.addEventListener("pointermove", (event) => this.#pinched(event));
    scroller.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return; // a pinch on a trackpad sends this too
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1);
    }, { passive: false });
  }

  /** Show the whole board, however small its cells are, also after the next changes of its size. */
  fitAll() {
    this.#fitted = true;
    this.#smallest = CELL_SMALLEST;
    this.changed();
  }

  /** Fit the board again after a change of its size. */
  changed() {
    const { columns, rows } = this.size();
    const { width, height } = this.#room;
    if (this.#fitted && width && columns) this.#resize(Math.max(this.#smallest, Math.min(width / columns, height / rows)));
  }

  /** @param {number} factor */
  zoom(factor) {
    this.#fitted = false;
    const { scroller } = this;
    const [across, down] = [
      (scroller.scrollLeft + scroller.clientWidth / 2) / scroller.scrollWidth,
      (scroller.scrollTop + scroller.clientHeight / 2) / scroller.scrollHeight,
    ];
    this.#resize(this.cell * factor);
    scroller.scrollLeft = across * scroller.scrollWidth - scroller.clientWidth / 2;
    scroller.scrollTop = down * scroller.scrollHeight - scroller.clientHeight / 2;
  }

  /** Scroll to the middle of a board that is larger than the scroller. */
  #center() {
    const { scroller, cell } = this;
    const { columns, rows } = this.size();
    if (columns * cell <= this.#room.width && rows * cell <= this.#room.height) return;
    scroller.scrollLeft = (scroller.scrollWidth - scroller.clientWidth) / 2;
    scroller.scrollTop = (scroller.scrollHeight - scroller.clientHeight) / 2;
    this.board.querySelector(".ghost")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** @param {number} cell */
  #resize(cell) {
    this.cell = Math.floor(Math.max(CELL_SMALLEST, Math.min(CELL_MAX, cell)));
    this.board.style.setProperty("--cell", `${this.cell}px`);
  }

  /** Zoom by two fingers. @param {PointerEvent} event */
  #pinched(event) {
    if (!this.#pointers.has(event.pointerId)) return;
    this.#pointers.set(event.pointerId, event);
    const [a, b] = this.#pointers.values();
    if (!b) return;
    const distance = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    if (this.#pinch) this.zoom(distance / this.#pinch);
    this.#pinch = distance;
  }
}
