export const FLIGHT_MS = 200;

/** Whether the person has asked for less motion. */
export function prefersReducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Let a picture fly from one element to the middle of another, at its own size. The page is changed in the next frame:
 * flights that begin together measure one layout.
 *
 * @param {Element | null} from
 * @param {Element | null} to
 * @param {{picture?: Element, delay?: number}} [options] What flies, when it is not `from` itself, and when.
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
  const at = (/** @type {DOMRect} */ box) => ({ transform: `translate(${box.left + (box.width - width) / 2}px, ${box.top + (box.height - height) / 2}px)` });
  const faded = picture ? {} : { opacity: 0.3 }; // a text must stay readable
  requestAnimationFrame(() => {
    document.body.append(copy);
    copy.animate([at(start), { ...at(end), ...faded }], { duration: FLIGHT_MS, delay, easing: "ease-in-out", fill: "backwards" })
      .finished.finally(() => copy.remove());
  });
}
