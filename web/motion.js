const FLIGHT_MS = 200;

/** Whether the person has asked for less motion. */
export function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Let a picture fly from where something was to where it is now.
 *
 * @param {Element | null} from
 * @param {Element | null} to
 */
export function fly(from, to) {
  if (calm() || !from || !to) return;
  const [start, end] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
  if (!start.width || !end.width) return;
  const copy = /** @type {HTMLElement} */ (from.cloneNode(true));
  copy.className = "flying";
  copy.setAttribute("aria-hidden", "true");
  copy.removeAttribute("data-tile");
  document.body.append(copy);
  const at = (/** @type {DOMRect} */ box) => ({ left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px`, height: `${box.height}px` });
  copy.animate([at(start), { ...at(end), opacity: 0.3 }], { duration: FLIGHT_MS, easing: "ease-in-out" })
    .finished.finally(() => copy.remove());
}
