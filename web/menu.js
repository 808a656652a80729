import { attribute, button, h, hide, setText } from "./dom.js";
import { t } from "./i18n.js";
import { lazyPart } from "./lazy.js";
import { tokensOf } from "./tokens.js";

/** @typedef {import("./store.js").Store} Store */

/**
 * The menu of a game, and the switch between several seats of this browser.
 *
 * @param {Store} store
 * @param {number} chosen
 * @param {(seat: number) => void} reopen
 * @param {() => (number | null)[]} seatNumbers Of our seats, where they are known.
 */
export function tableMenu(store, chosen, reopen, seatNumbers) {
  const switcher = h("span", { class: "switcher", role: "group", "aria-label": t("menu.seats") });
  const root = h("details", { class: "menu" }, h("summary", { "aria-label": t("menu.title") }, "☰"));
  const items = lazyPart(() => root.open, async () => (await import("./menu-items.js")).menuItems(store, chosen, reopen, () => { root.open = false; }));
  root.append(items.root);
  root.addEventListener("toggle", () => items.show());

  return { root: h("div", { class: "menu-bar" }, switcher, root), show() {
    const { seats } = tokensOf(store.id);
    if (seats.length > 1 && switcher.childElementCount !== seats.length) {
      switcher.replaceChildren(...seats.map((_, index) => button(t("menu.seat", { seat: index + 1 }), () => reopen(index), { class: "small" })));
    }
    [...switcher.children].forEach((one, index) => {
      attribute(one, "aria-pressed", String(index === chosen));
      const seat = seatNumbers()[index] ?? null;
      if (seat !== null) setText(one, store.view.players[seat]?.name ?? "");
    });
    hide(switcher, seats.length < 2);
    items.show();
  } };
}
