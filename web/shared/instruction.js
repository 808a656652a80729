import { alertNow, attribute } from "./dom.js";
import { prefersReducedMotion } from "./motion.js";

/** How long what is missing stays marked, in milliseconds. */
const MARKED_MS = 1600;

/**
 * Let a main button say what has to be done first, or be itself again. It stays a button that can be pressed: the press points to
 * what is missing.
 *
 * @param {HTMLButtonElement} button
 * @param {boolean} isMissing Whether something has to be done first.
 */
export function instruct(button, isMissing) {
  attribute(button, "aria-disabled", isMissing ? "true" : null);
}

/** Return whether a button only says what has to be done first. @param {HTMLButtonElement} button */
export function instructs(button) {
  return button.getAttribute("aria-disabled") === "true";
}

/**
 * Point to what is missing: mark it for a moment, bring it into sight, and move the focus to the first control in it.
 *
 * @param {HTMLButtonElement} button Says what has to be done.
 * @param {readonly Element[]} missing
 */
export function pointAt(button, missing) {
  alertNow(button.textContent ?? "");
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
