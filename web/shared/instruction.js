import { alertNow, attribute } from "./dom.js";
import { prefersReducedMotion } from "./motion.js";

/** How long what is missing stays marked, in milliseconds. */
const MARKED_MS = 1600;

/**
 * Let a button wait for what has to be done first, or be ready. A waiting button can be pressed: the press points to what is
 * missing.
 *
 * @param {HTMLButtonElement} button
 * @param {string} reason What has to be done first; empty if the button is ready.
 */
export function waitFor(button, reason) {
  attribute(button, "aria-disabled", reason ? "true" : null);
  attribute(button, "title", reason || null);
}

/** Return whether a button waits for something. @param {HTMLButtonElement} button */
export function isWaiting(button) {
  return button.getAttribute("aria-disabled") === "true";
}

/**
 * Point to what is missing: mark it for a moment, bring it into sight, and move the focus to the first control in it.
 *
 * @param {HTMLButtonElement} button The button that waits for it.
 * @param {readonly Element[]} missing
 */
export function pointAt(button, missing) {
  alertNow(button.title);
  for (const element of missing) {
    element.classList.add("missing");
    setTimeout(() => element.classList.remove("missing"), MARKED_MS);
  }
  const [first] = missing;
  const control = /** @type {HTMLElement | null | undefined} */ (
    first?.matches("input, button, [tabindex]") ? first : first?.querySelector("input, button")
  );
  first?.scrollIntoView({ block: "nearest", inline: "nearest", behavior: prefersReducedMotion() ? "auto" : "smooth" });
  control?.focus({ preventScroll: true });
}
