import { h } from "./dom.js";
import { t } from "./i18n.js";
import { lazyPart } from "./lazy.js";
import { tokensOf } from "../state/tokens.js";

/**
 * Create the menu of a game, and the buttons that switch between the seats of this browser.
 *
 * @param {import("../state/store.js").Store} store
 * @param {number} chosen
 * @param {(seat: number) => void} reopen
 * @param {() => (number | null)[]} seatNumbers Returns the numbers of our seats, null where unknown.
 */
export function gameMenu(store, chosen, reopen, seatNumbers) {
  const switcher = lazyPart(
    () => tokensOf(store.id).seats.length > 1,
    async () => (await import("../game/hotseat.js")).seatSwitch(store, chosen, reopen, seatNumbers),
  );
  const root = h("details", { class: "menu" }, h("summary", { "aria-label": t("menu.title") }, "☰"));
  const items = lazyPart(
    () => root.open,
    async () => (await import("../game/menu-items.js")).menuItems(store, chosen, reopen, root),
  );
  root.append(items.root);
  root.addEventListener("toggle", () => {
    const covered = root.closest(".game-page")?.querySelectorAll("main > *") ?? [];
    for (const part of covered) /** @type {HTMLElement} */ (part).inert = root.open; // none of it can be half pressed
    items.update();
  });

  return {
    root: h("div", { class: "menu-bar" }, switcher.root, root),
    get loading() {
      return switcher.loading;
    },
    update() {
      switcher.update();
      items.update();
    },
  };
}
