import { confirmation } from "./building.js";
import { attribute, button, h, hide, setText } from "./dom.js";
import { LANGUAGES, chooseLanguage, language, t } from "./i18n.js";
import { openHelp } from "./keys.js";
import { settingBox } from "./settings.js";
import { toastError } from "./toast.js";
import { dropToken, forget, keepTokens, seatLink, tokensOf, watchLink } from "./tokens.js";

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
  const leave = confirmation(t("menu.resign_question"), t("menu.resign"), () => void resign());
  const forgetting = confirmation(t("menu.forget_question"), t("menu.forget"), () => { forget(store.id); location.assign("/play/"); });
  const seat = button(t("menu.seat_link"), () => store.token && void share(seatLink(store.id, store.token), t("menu.seat_warning"), renew));
  const watch = button(t("menu.watch_link"), () => void share(watchLink(store.id), ""));
  const leaving = button(t("menu.leave"), () => (store.view.status === "lobby" ? void resign() : leave.open(leaving)));
  const forgetIt = button(t("menu.forget"), () => forgetting.open(forgetIt));
  const items = h("div", { class: "menu-items" },
    h("a", { href: "/play/" }, t("table.all_games")), watch, seat, languageChoice(), settingBox("auto"), settingBox("edges", () => store.changed()), button(t("menu.help"), openHelp), leaving, forgetIt,
    h("a", { href: "/docs/rules" }, t("menu.rules")));
  const root = h("details", { class: "menu" }, h("summary", { "aria-label": t("menu.title") }, "☰"), items, leave.root, forgetting.root);
  items.addEventListener("click", (event) => { if (event.target instanceof HTMLButtonElement) root.open = false; });

  /** Replace the token of our seat, so that older links to it become invalid; return the new link. */
  async function renew() {
    const { token } = store;
    if (!token || store.seat === null) throw new Error("No seat");
    const renewed = await store.game.rotateToken(store.seat);
    if (!renewed.token) throw new Error("No token");
    const fresh = renewed.token;
    const tokens = tokensOf(store.id);
    keepTokens(store.id, { ...tokens, seats: tokens.seats.map((one) => (one === token ? fresh : one)) });
    reopen(chosen);
    return seatLink(store.id, fresh);
  }

  async function resign() {
    const { token } = store;
    if (store.seat === null || !token) return;
    try {
      await store.game.leave(store.seat);
      dropToken(store.id, token);
      reopen(0);
    } catch (error) {
      toastError(error);
    }
  }

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
    const seated = store.seat !== null;
    hide(seat, !seated);
    hide(watch, store.view.private);
    hide(leaving, !seated || store.view.status === "finished" || store.view.status === "aborted");
    hide(forgetIt, !seats.length);
  } };
}

/** A select with all languages. */
export function languageChoice() {
  const select = h("select", { "aria-label": t("menu.language"), class: "language", onchange: () => chooseLanguage(select.value) },
    ...Object.entries(LANGUAGES).map(([tag, name]) => h("option", { value: tag, lang: tag, selected: tag === language }, name)));
  return select;
}

/**
 * Copy a link, or show it. That is loaded when it is first done.
 *
 * @param {Parameters<typeof import("./share.js").share>} link
 */
function share(...link) {
  return import("./share.js").then((module) => module.share(...link), toastError);
}
