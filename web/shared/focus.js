import { openDialogs } from "./dom.js";

const LATE_MS = 300;

/**
 * Keep the keyboard focus on the page: when the focused element disappears, move the focus to another one.
 *
 * @param {HTMLElement} root
 * @param {() => HTMLElement | null} fallback
 */
export function focusKeeper(root, fallback) {
  /** What had the focus last, unless the user has pressed elsewhere since. @type {HTMLElement | null} */
  let last = null;
  /** What got the focus as the fallback. @type {HTMLElement | null} */
  let given = null;
  root.addEventListener("focusin", ({ target }) => {
    last = /** @type {HTMLElement} */ (target);
  });
  /** Whether the user works with the keyboard: then a focus that is lost moves to the next part. */
  let isByKey = false;
  root.addEventListener("pointerdown", () => {
    last = null;
    isByKey = false;
  });
  document.addEventListener("keydown", pressed);

  function pressed() {
    isByKey = true;
    if (!root.isConnected) document.removeEventListener("keydown", pressed);
  }

  /**
   * Move a lost focus, after the browser has noticed that its element is hidden; and one that the user has not moved
   * since it was given to the part before.
   */
  function check() {
    if (!(last || isByKey) || openDialogs.length) return;
    if (document.activeElement === given) return give();
    if (document.activeElement !== document.body) return;
    const usable = last?.isConnected && last.checkVisibility() && !last.matches(":disabled");
    if (usable) last?.focus({ preventScroll: true });
    else give();
  }

  /** Give the focus to the fallback. */
  function give() {
    const next = fallback();
    if (next === document.activeElement) return;
    given = next;
    next?.focus({ preventScroll: true });
  }

  return {
    check() {
      requestAnimationFrame(() => setTimeout(check));
      setTimeout(check, LATE_MS); // what had the focus is sometimes hidden later
    },
    /** Focus the first element of a page that has just been opened. */
    begin() {
      if (document.activeElement === document.body) give();
    },
  };
}
