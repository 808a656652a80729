/** @typedef {import("./place.js").Placing} Placing */

const THRESHOLD_PX = 3;

/**
 * Let a tile be dragged from the hand to the board. Dropping it leaves a ghost and never places the tile; a second
 * finger, or a drop elsewhere, cancels.
 *
 * @param {HTMLElement} source
 * @param {string} tile
 * @param {Placing} placing
 */
export function draggable(source, tile, placing) {
  let dragged = false; // the click that follows a drag would deselect the tile
  source.addEventListener(
    "click",
    (event) => {
      if (dragged) event.stopImmediatePropagation();
    },
    { capture: true },
  );
  source.addEventListener("pointerdown", (down) => {
    if (!down.isPrimary || down.button) return;
    const picture = /** @type {HTMLElement} */ (source.querySelector("img")?.cloneNode());
    const stop = new AbortController();
    const { signal } = stop;
    let moving = false;

    /** @param {PointerEvent} event */
    function move(event) {
      if (event.pointerId !== down.pointerId) return;
      if (!moving) {
        if (Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < THRESHOLD_PX) return;
        moving = true;
        source.setPointerCapture(down.pointerId);
        placing.select(tile);
        picture.className = "dragged";
        document.body.append(picture);
      }
      // Find the cell before any change, or the browser would compute the layout twice.
      const cell = /** @type {HTMLElement | null | undefined} */ (
        document.elementFromPoint(event.clientX, event.clientY)?.closest(".cell")
      );
      picture.style.transform = `translate(${event.clientX - 40}px, ${event.clientY - 40}px)`;
      placing.hover(Number(cell?.dataset.x ?? NaN), Number(cell?.dataset.y ?? NaN));
    }

    /** @param {boolean} dropped */
    function end(dropped) {
      stop.abort();
      picture.remove();
      if (!moving) return;
      if (!dropped) placing.hover(NaN, NaN);
      dragged = true;
      setTimeout(() => {
        dragged = false;
      }, 0);
    }

    document.addEventListener("pointermove", move, { signal });
    document.addEventListener(
      "pointerup",
      (event) => {
        if (event.pointerId === down.pointerId) end(true);
      },
      { signal },
    );
    document.addEventListener("pointercancel", () => end(false), { signal });
    document.addEventListener(
      "pointerdown",
      (event) => {
        if (event.pointerId !== down.pointerId) end(false);
      },
      { signal },
    );
  });
}
