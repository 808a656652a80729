import { ApiError } from "./client/index.js";
import { button, h, hide, keyed, setText } from "./dom.js";
import { number, t } from "./i18n.js";
import { share } from "./menu.js";
import { colorMark } from "./seats.js";
import { toast, toastError } from "./toast.js";
import { addSeatToken, tokensOf, watchLink } from "./tokens.js";
import { skye } from "./api.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./api.js").Player} Player */

/**
 * The seats of a game that has not started.
 *
 * @param {Store} store
 * @param {(seat: number) => void} reopen
 */
export function lobbyPanel(store, reopen) {
  const seats = h("ol", { class: "lobby-seats" });
  const free = h("p", { class: "faint" });
  const name = h("input", { name: "name", maxlength: 40, required: true, autocomplete: "nickname", placeholder: t("lobby.name"), "aria-label": t("lobby.name") });
  const join = h("form", { class: "bar", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); void sit(); } },
    name, h("button", { class: "primary", "data-act": "join" }, t("lobby.join")));
  const start = button(t("lobby.start"), () => void write((game, ifMatch) => game.start({ ifMatch })), { class: "primary", "data-act": "start" });
  const bots = h("div", { class: "bar" }, ...["strategist", "greedy", "random"].map((bot) => (
    button(t("lobby.add_bot", { bot: t(`bot.${bot}`) }), () => void write((game, ifMatch) => game.join({ bot: /** @type {any} */ (bot) }, { ifMatch })), { "data-bot": bot }))));
  const invite = button(t("lobby.invite"), () => void share(watchLink(store.id), ""), { "data-act": "invite" });
  const root = h("section", { class: "lobby panel", hidden: true, "aria-label": t("lobby.title") }, h("h2", {}, t("lobby.title")), seats, free, join,
    h("div", { class: "bar" }, start, invite), bots);

  /** The game as its host, or null. */
  function hosted() {
    const { host } = tokensOf(store.id);
    return host ? skye.game(store.id, host) : null;
  }

  /**
   * Carry out a write of the host, unless the lobby has changed since it was shown.
   *
   * @param {(game: import("./client/resources.js").Game, ifMatch: string) => Promise<unknown>} act
   */
  async function write(act) {
    const game = hosted();
    if (!game) return;
    try {
      await act(game, `"${store.view.version}"`);
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) toast(t("lobby.changed"));
      else toastError(error);
    }
  }

  async function sit() {
    try {
      const { token } = await skye.game(store.id, hosted()?.token ?? null).join({ name: name.value.trim() });
      if (token) addSeatToken(store.id, token);
      reopen(tokensOf(store.id).seats.length - 1);
    } catch (error) {
      toastError(error);
    }
  }

  /** @param {Player} player */
  function seat(player) {
    const title = h("bdi", {});
    const note = h("span", { class: "faint" });
    const remove = button(t("lobby.remove"), () => void write((game, ifMatch) => game.leave(current, { ifMatch })), { class: "small" });
    let current = player.seat;
    const box = h("li", {}, colorMark(player.color), title, note, remove);
    return { root: box, show: (/** @type {Player} */ shown) => {
      current = shown.seat;
      setText(title, shown.name);
      setText(note, shown.bot ? t("seat.bot", { bot: t(`bot.${shown.bot}`) }) : shown.seat === store.seat ? t("seat.you") : "");
      hide(remove, !hosted());
    } };
  }

  return { root, show() {
    const { view } = store;
    hide(root, view.status !== "lobby");
    if (root.hidden) return;
    keyed(seats, view.players, ({ color, name: called }) => `${color}${called}`, seat);
    const open = view.seats - view.players.length;
    setText(free, t("lobby.free", { count: open, seats: number(view.seats) }));
    hide(join, open === 0 || (store.seat !== null && !hosted()));
    const host = hosted() !== null;
    hide(start, !host);
    start.disabled = view.players.length < 2;
    hide(bots, !host || open === 0);
    hide(invite, open === 0);
  } };
}
