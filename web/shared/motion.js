export const FLIGHT_MS = 200;

/** Return whether the user's system asks for reduced motion. */
export function prefersReducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Animate a picture from one element to the middle of another, at its own size. The page changes in the next frame, so that
 * animations which begin together compute one layout.
 *
 * @param {Element | null} from
 * @param {Element | null} to
 * @param {{picture?: Element, delay?: number}} [options] The picture, by default a copy of `from`, and a delay in milliseconds.
 */
export function fly(from, to, { picture, delay = 0 } = {}) {
  if (prefersReducedMotion() || document.hidden || !from || !to) return;
  const [start, end] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
  if (!start.width || !end.width) return;
  const copy = /** @type {HTMLElement} */ (picture ?? from.cloneNode(true));
  copy.classList.add("flying");
  copy.setAttribute("aria-hidden", "true");
  copy.removeAttribute("data-tile");
  const { width, height } = picture ? { width: 0, height: 0 } : start;
  if (!picture) Object.assign(copy.style, { width: `${width}px`, height: `${height}px` });
  const at = (/** @type {DOMRect} */ box) => ({
    transform: `translate(${box.left + (box.width - width) / 2}px, ${box.top + (box.height - height) / 2}px)`,
  });
  const faded = picture ? {} : { opacity: 0.3 }; // a text stays readable
  requestAnimationFrame(() => {
    document.body.append(copy);
    copy
      .animate([at(start), { ...at(end), ...faded }], {
        duration: FLIGHT_MS,
        delay,
        easing: "ease-in-out",
        fill: "backwards",
      })
      .finished.finally(() => copy.remove());
  });
}
