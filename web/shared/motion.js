import { setting } from "../state/settings.js";

export const FLIGHT_MS = 200;

/** Return whether the user's system asks for reduced motion. */
export function prefersReducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Return whether points are counted up, step by step; otherwise they are shown at once. */
export function countsUp() {
  return setting("count") && !prefersReducedMotion();
}

/**
 * Measure a flight of a picture from one element to the middle of another, at its own size; return what begins it. So a flight
 * is measured before the page changes, which would force a layout, and begins when the page has changed.
 *
 * @param {Element | null} from
 * @param {Element | null} to
 * @param {{picture?: () => HTMLElement, delay?: number}} [options] Creates the picture, by default a copy of `from`; a delay
 * in milliseconds.
 */
export function flight(from, to, { picture, delay = 0 } = {}) {
  if (prefersReducedMotion() || document.hidden || !from || !to) return () => {};
  const [start, end] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
  if (!start.width || !end.width) return () => {};
  const { width, height } = picture ? { width: 0, height: 0 } : start;
  const at = (/** @type {DOMRect} */ box) => ({
    transform: `translate(${box.left + (box.width - width) / 2}px, ${box.top + (box.height - height) / 2}px)`,
  });
  const faded = picture ? {} : { opacity: 0.3 }; // a text stays readable
  const begin = () => {
    const copy = picture?.() ?? /** @type {HTMLElement} */ (from.cloneNode(true));
    copy.classList.add("flying");
    copy.setAttribute("aria-hidden", "true");
    copy.removeAttribute("data-tile");
    if (!picture) Object.assign(copy.style, { width: `${width}px`, height: `${height}px` });
    document.body.append(copy);
    copy
      .animate([at(start), { ...at(end), ...faded }], {
        duration: FLIGHT_MS,
        delay,
        easing: "ease-in-out",
        fill: "backwards",
      })
      .finished.finally(() => copy.remove());
  };
  return () => void requestAnimationFrame(begin); // flights that begin together compute one layout
}
