import { ApiError } from "../../clients/typescript/src/errors.js";
import { botName, botTitle, loadBots } from "../shared/bots.js";
import { button, form, h, hide, keyed, setText } from "../shared/dom.js";
import { number, t } from "../shared/i18n.js";
import { inviteList, saveInvite } from "./invitations.js";
import { dropToken } from "./my-games.js";
import { nameInput, saveName } from "./player-name.js";
import { replaceToken } from "../state/replace-token.js";
import { share } from "./share.js";
import { colorMark } from "../game/seats.js";
import { showInvalid } from "../shared/invalid-field.js";
import { toast, toastError } from "../shared/toast.js";
import { gameUrl } from "../shared/urls.js";
import { addSeatToken, tokensOf } from "../state/tokens.js";
import { skye } from "../state/api.js";

/** @typedef {import("../state/store.js").Store} Store */
/** @typedef {import("../state/api.js").Player} Player */

/** Create the panel with the seats of a game that has not started. @param {Store} store @param {(seat: number) => void} reopen */
export async function lobbyPanel(store, reopen) {
  const offered = hosted() ? await loadBots() : [];
  const seats = h("ol", { class: "lobby-seats" });
  const free = h("p", { class: "faint" });
  const name = nameInput();
  const sitting = h("button", { "data-act": "join" });
  const join = form("bar", sit, name, sitting);
  const start = button(t("lobby.start"), () => void write((game, ifMatch) => game.start({ ifMatch })), { class: "primary", "data-act": "start" });
  const bots = h("div", { class: "bar" }, ...offered.map((bot) => (
    button(t("lobby.add_bot", { bot: botTitle(bot) }), () => void write((game, ifMatch) => game.join({ bot: /** @type {any} */ (bot.name) }, { ifMatch })), { "data-bot": bot.name }))));
  const link = button(t("lobby.invite"), () => void share(gameUrl(store.id), ""), { "data-act": "game-link" });
  const invite = button(t("invite.new"), () => void write(async (game, ifMatch) => saveInvite(store.id, (await game.invite({ ifMatch })).invitation)), { "data-act": "invite" });
  const invites = inviteList(store);
  const root = h("section", { class: "lobby panel", hidden: true, "aria-label": t("status.lobby") }, h("h2", {}, t("status.lobby")), seats, free, invites.root, join,
    h("div", { class: "bar" }, start, link, invite), bots);

  /** Return the game with the host token, or null without one. */
  function hosted() {
    const { host } = tokensOf(store.id);
    return host ? skye.game(store.id, host) : null;
  }

  /**
   * Send a write of the host, unless the lobby has changed since it was shown (`If-Match`).
   *
   * @param {(game: import("../../clients/typescript/src/resources.js").Game, ifMatch: number) => Promise<unknown>} act
   */
  async function write(act) {
    const game = hosted();
    if (!game) return;
    try {
      await act(game, store.view.version);
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) toast(t("lobby.changed"));
      else toastError(error);
    }
  }

  /** Return how many seats are neither taken nor reserved. */
  function unreserved() {
    return store.view.seat_count - store.view.players.length - store.view.reserved_seats;
  }

  /** Take a seat: with our invitation, a free one, or as the host with an open invitation. */
  async function sit() {
    if (sitting.disabled) return;
    sitting.disabled = true;
    try {
      const code = tokensOf(store.id).invite ?? (unreserved() > 0 ? null : invites.codes()[0]);
      const game = skye.game(store.id, code ?? hosted()?.token ?? null);
      const { token } = await replaceToken(store, () => game.join({ name: name.value.trim() }));
      saveName(name.value.trim());
      if (token) addSeatToken(store.id, token);
      if (code) dropToken(store.id, code);
      reopen(tokensOf(store.id).seats.length - 1);
    } catch (error) {
      sitting.disabled = false;
      showInvalid(error, join);
    }
  }

  /** @param {Player} player */
  function seat(player) {
    const title = h("bdi", {});
    const note = h("span", { class: "faint" });
    const remove = button(t("lobby.remove"), () => void write((game, ifMatch) => game.seat(current).leave({ ifMatch })), { class: "small" });
    let current = player.seat;
    const box = h("li", {}, colorMark(player.color), title, note, remove);
    return { root: box, show: (/** @type {Player} */ shown) => {
      current = shown.seat;
      setText(title, shown.name);
      setText(note, shown.bot ? t("seat.bot", { bot: botName(shown.bot) }) : shown.seat === store.seat ? t("seat.you") : "");
      hide(remove, !hosted());
    } };
  }

  return { root, show() {
    const { view } = store;
    hide(root, view.status !== "lobby");
    if (root.hidden) return;
    keyed(seats, view.players, ({ color, name: called }) => `${color}${called}`, seat);
    const host = hosted() !== null;
    const open = unreserved();
    const invited = tokensOf(store.id).invite || (host && invites.codes().length > 0);
    setText(free, [t("lobby.free", { count: open, seats: number(view.seat_count) }), view.reserved_seats ? t("lobby.reserved", { count: view.reserved_seats }) : ""].join(" "));
    setText(sitting, t(host && store.seat !== null ? "lobby.seat_here" : "lobby.join"));
    sitting.classList.toggle("primary", store.seat === null);
    hide(join, (open === 0 && !invited) || (store.seat !== null && !host));
    hide(invites.root, true);
    if (host) invites.show();
    hide(start, !host);
    start.disabled = view.players.length < 2;
    hide(bots, !host || open === 0);
    hide(link, open === 0 || view.visibility === "private");
    hide(invite, !host || open === 0);
  } };
}
