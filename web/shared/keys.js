import { setting } from "../state/settings.js";
import { toastError } from "./toast.js";

/** @typedef {import("../game/game-page.js").GamePage} GamePage */

/** Show the list of shortcuts; its module is loaded on first use. */
export function openHelp() {
  import("../game/help.js").then(({ showHelp }) => showHelp(), toastError);
}

/**
 * Return whether the focused element uses a key itself. A price field leaves letters to the shortcuts.
 *
 * @param {EventTarget | null} target
 * @param {string} key
 */
function usesKey(target, key) {
  if (target instanceof HTMLInputElement)
    return target.type === "text" || (target.type === "number" && /^[\d-]$/.test(key));
  return target instanceof HTMLSelectElement;
}

/** Register the keyboard shortcuts of a game. @param {GamePage} page */
export function gameKeys(page) {
  const { placing, board } = page;
  const phase = () => (page.store.myTurn || page.store.view.phase !== "buying" ? page.store.view.phase : null);
  /** @param {number} index */
  const choose = (index) => {
    if (phase() === "building") page.building.part?.select(index);
    else if (phase() === "buying") page.market.select(index);
    else if (phase() === "pricing") page.pricing.card(index)?.focus(); // and not its field, which would take the next digit
  };
  /** @param {string} selector @param {number} button */
  const inCard = (selector, button) => {
    const card = document.activeElement?.closest(".card");
    const control = /** @type {HTMLElement | undefined} */ (card?.querySelectorAll(selector)[button]);
    control?.click();
    return control;
  };
  /** @type {Record<string, () => void>} */
  const letters = {
    n: () => board.nextLegal(1),
    N: () => board.nextLegal(-1),
    r: () => placing.rotate(1),
    R: () => placing.rotate(-1),
    1: () => choose(0),
    2: () => choose(1),
    3: () => choose(2),
    4: () => choose(3),
    5: () => choose(4),
    6: () => choose(5),
    "+": () => inCard(".stepper button", 1),
    "-": () => inCard(".stepper button", 0),
    x: () => inCard("input[type=radio]", 0)?.focus(), // the price that had the focus is hidden
    s: () => phase() === "pricing" && void page.pricing.submit(),
    b: () => phase() === "buying" && void page.market.buy(),
    p: () => phase() === "buying" && void page.market.passBuying(),
    u: () => phase() === "building" && void page.building.part?.takeBack(),
    f: () => phase() === "building" && void page.building.part?.finishBuilding(),
    0: () => board.viewport.fitAll(),
    "?": openHelp,
  };

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") {
      placing.cancel();
      page.market.cancel();
      return;
    }
    if (event.key === "Enter" && event.target === document.body && placing.ghost) {
      void placing.commit();
      return;
    }
    if (usesKey(event.target, event.key) || !setting("letters") || !(event.key in letters)) return;
    event.preventDefault();
    letters[event.key]();
  }

  document.addEventListener("keydown", pressed);
  return {
    close() {
      document.removeEventListener("keydown", pressed);
    },
  };
}
