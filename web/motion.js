export const FLIGHT_MS = 200;

/** Whether the person has asked for less motion. */
export function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Let a picture fly from where something was to where it is now. The page is changed in the next frame, so that flights
 * which begin together measure one layout.
 *
 * @param {Element | null} from
 * @param {Element | null} to
 * @param {{picture?: Element, delay?: number}} [options] What flies, when it is not `from` itself, and when.
 */
export function fly(from, to, { picture, delay = 0 } = {}) {
  if (calm() || document.hidden || !from || !to) return;
  const [start, end] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
  if (!start.width || !end.width) return;
  const copy = /** @type {HTMLElement} */ (picture ?? from.cloneNode(true));
  copy.classList.add("flying");
  copy.setAttribute("aria-hidden", "true");
  copy.removeAttribute("data-tile");
  const at = (/** @type {DOMRect} */ box) => (picture ? { left: `${box.left + box.width / 2}px`, top: `${box.top + box.height / 2}px` }
    : { left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px`, height: `${box.height}px` });
  const faded = picture ? {} : { opacity: 0.3 }; // a text must stay readable
  requestAnimationFrame(() => {
    document.body.append(copy);
    copy.animate([at(start), { ...at(end), ...faded }], { duration: FLIGHT_MS, delay, easing: "ease-in-out", fill: "backwards" })
      .finished.finally(() => copy.remove());
  });
}
