import { openDialogs } from "./dom.js";
import { setting } from "../state/settings.js";
import { toastError } from "./toast.js";

/**
 * @typedef {object} Parts What the shortcuts act on.
 * @property {import("../state/store.js").Store} store
 * @property {import("../game/place.js").Placing} placing
 * @property {Pick<ReturnType<typeof import("../game/board.js").territoryBoard>, "nextLegal" | "fitAll">} board
 * @property {ReturnType<typeof import("../game/pricing.js").pricingTray>} pricing
 * @property {ReturnType<typeof import("../game/market.js").market>} market
 * @property {() => ReturnType<typeof import("../game/building.js").buildingTray> | null} building Null until it is loaded.
 */

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

/** Register the keyboard shortcuts of a game. @param {Parts} parts */
export function gameKeys({ store, placing, board, pricing, market, building }) {
  const phase = () => (store.myTurn || store.view.phase !== "buying" ? store.view.phase : null);
  /** @param {number} index */
  const choose = (index) => {
    if (phase() === "building") building()?.select(index);
    else if (phase() === "buying") market.select(index);
    else if (phase() === "pricing") pricing.focus(index);
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
    "+": () => pricing.raise(1),
    "-": () => pricing.raise(-1),
    x: () => pricing.discard(),
    s: () => phase() === "pricing" && void pricing.submit(),
    b: () => phase() === "buying" && void market.buy(),
    p: () => phase() === "buying" && void market.passBuying(),
    u: () => phase() === "building" && void building()?.takeBack(),
    f: () => phase() === "building" && void building()?.finishBuilding(),
    0: () => board.fitAll(),
    "?": openHelp,
  };

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || openDialogs.length) return;
    if (event.key === "Escape") {
      placing.cancel();
      market.cancel();
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
