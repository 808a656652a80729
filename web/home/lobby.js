import { ApiError } from "../../clients/typescript/src/errors.js";
import { botName, botTitle, loadBots } from "../shared/bots.js";
import { confirmation } from "../shared/confirmation.js";
import { attribute, button, form, h, hide, keyed, setText } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { dropInvite, emptyMark, openInvitations, saveInvite } from "./invitations.js";
import { askToLeave } from "./leave-seat.js";
import { dropToken } from "./my-games.js";
import { optionTexts } from "./option-texts.js";
import { nameInput, proposeFreeName, saveName } from "./player-name.js";
import { replaceToken } from "../state/replace-token.js";
import { share } from "./share.js";
import { colorMark } from "../game/seats.js";
import { rulesetText } from "../shared/rulesets.js";
import { showInvalid } from "../shared/invalid-field.js";
import { toast, toastError } from "../shared/toast.js";
import { gameUrl } from "../shared/urls.js";
import { addSeatToken, tokensOf } from "../state/tokens.js";
import { skye } from "../state/api.js";

/** @typedef {import("../state/store.js").Store} Store */
/** @typedef {import("../../clients/typescript/src/resources.js").Game} GameResource */
/** @typedef {import("../state/api.js").Player} Player */
/** @typedef {{key: string, player?: Player, make: () => {root: HTMLElement, update: (row: Row) => void}}} Row */

/**
 * Create the panel with the seats of a game that has not started.
 *
 * @param {Store} store
 * @param {(seat: number) => void} reopen
 */
export async function lobbyPanel(store, reopen) {
  const offered = hosted() ? await loadBots() : [];
  const seats = h("ol", { class: "lobby-seats list-rows" });
  const kept = h("p", { class: "kept", hidden: true }, t("lobby.yours"));
  const [inviting, hint, noBots] = ["inviting", "hint", "no-bots"].map((name) => h("p", { class: name }));
  const ruleset = h("p", { class: "faint ruleset" });
  const options = h("ul", { class: "options-chosen faint", "aria-label": t("lobby.options") });
  const name = nameInput();
  /** Whether the player has typed a name: then it stays, also if it is taken. */
  let typed = false;
  name.addEventListener("input", () => {
    typed = true;
  });
  const sitting = h("button", { "data-act": "join" });
  const join = form("bar", sit, name, sitting);
  const begin = () => void write((game, ifMatch) => game.start({ ifMatch }));
  const start = button(t("lobby.start"), () => askToStart(), {
    class: "primary",
    "data-act": "start",
  });
  const bots = h(
    "div",
    { class: "bar" },
    ...offered.map((bot) =>
      button(
        t("lobby.add_bot", { bot: botTitle(bot) }),
        () => void write((game, ifMatch) => game.join({ bot: /** @type {any} */ (bot.name) }, { ifMatch })),
        { "data-bot": bot.name },
      ),
    ),
  );
  const link = button(t("lobby.invite"), () => void share(gameUrl(store.id), ""), { "data-act": "game-link" });
  const invite = button(
    t("invite.new"),
    () =>
      void write(async (game, ifMatch) => {
        const created = await game.invite({ ifMatch });
        saveInvite(store.id, created.invitation);
        return created;
      }),
    { "data-act": "invite" },
  );
  const invites = openInvitations(
    store,
    (id) =>
      void write(async (game, ifMatch) => {
        const view = await game.revokeInvitation(id, { ifMatch });
        dropInvite(store.id, id);
        return view;
      }),
  );
  const root = h(
    "section",
    { class: "lobby panel", hidden: true, "aria-label": t("status.lobby") },
    h("h2", {}, t("status.lobby")),
    ruleset,
    options,
    seats,
    kept,
    inviting,
    join,
    h("div", { class: "bar" }, start, link, invite),
    hint,
    bots,
    noBots,
  );

  /** Return the game with the host token, or null without one. */
  function hosted() {
    const { host } = tokensOf(store.id);
    return host ? skye.game(store.id, host) : null;
  }

  /**
   * Send a write of the host, unless the lobby has changed since it was shown (`If-Match`) or the last write is in progress.
   *
   * @param {(game: GameResource, ifMatch: number) => ReturnType<Parameters<Store["send"]>[0]>} act
   */
  async function write(act) {
    const game = hosted();
    if (!game || store.busy) return;
    try {
      await store.send(() => act(game, store.view.version));
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) toast(t("lobby.changed"));
      else toastError(error);
    }
  }

  /** Start the game, after a question if invitations are unused. */
  function askToStart() {
    const { reserved_seats: count } = store.view;
    if (!count) return begin();
    confirmation(t("lobby.unused", { count }), t("lobby.start"), begin).open(start);
  }

  /** Return how many seats are neither taken nor reserved. */
  function unreserved() {
    return store.view.seat_count - store.view.players.length - store.view.reserved_seats;
  }

  /** Take a seat: with our invitation, a free one, or as the host with an open invitation. */
  async function sit() {
    if (store.busy) return;
    store.set({ busy: true }); // until the game is opened with the new token
    try {
      const code = tokensOf(store.id).invite ?? (unreserved() > 0 ? null : invites.codes()[0]);
      const game = skye.game(store.id, code ?? hosted()?.token ?? null);
      const { token } = await replaceToken(store, () => game.join({ name: name.value.trim() }));
      if (store.seat === null) saveName(name.value.trim()); // not that of another player on this device
      if (token) addSeatToken(store.id, token);
      if (code) dropToken(store.id, code);
      reopen(0); // the first player on this device also begins the game
    } catch (error) {
      store.set({ busy: false });
      showInvalid(error, join);
    }
  }

  /**
   * Remove a player as the host, after a question unless it is a bot.
   *
   * @param {Player} player
   * @param {HTMLElement} from
   */
  function removeSeat({ seat: number, name: called, bot }, from) {
    if (number === store.seat) return askToLeave(store, reopen, true, from);
    const remove = () =>
      void write(async (game, ifMatch) => {
        const token = await tokenOfSeat(number);
        const view = await game.seat(number).leave({ ifMatch });
        if (token) dropToken(store.id, token);
        return view;
      });
    if (bot) remove();
    else confirmation(t("lobby.remove_question", { name: called }), t("lobby.remove"), remove).open(from);
  }

  /** Return our token of another seat, if a player on this device has it. @param {number} number */
  async function tokenOfSeat(number) {
    const others = tokensOf(store.id).seats.filter((token) => token !== store.token);
    const views = await Promise.all(
      others.map((token) =>
        skye
          .game(store.id, token)
          .get()
          .catch(() => null),
      ),
    );
    return others.find((_, index) => views[index]?.you.seat === number) ?? null;
  }

  /** Return what a player needs to know who cannot go on. */
  function hintText() {
    const { view } = store;
    if (!hosted()) return t(view.auto_start ? "lobby.starts_itself" : "lobby.host_starts");
    return view.players.length < 2 ? t("lobby.too_few") : "";
  }

  /** Return a row for each seat: first those of players, then the reserved ones, then the open ones. @returns {Row[]} */
  function rows() {
    const { players, reserved_seats: reserved, seat_count: count } = store.view;
    const taken = players.map((player) => ({
      key: `${player.color}${player.name}`,
      player,
      make: () => takenSeat(player),
    }));
    const invited = hosted() ? invites.rows() : [];
    const kept = isInvited() ? 1 : 0;
    const rest = Array.from({ length: count - taken.length - invited.length }, (_, index) =>
      emptySeat(index < kept ? "kept" : index < reserved - invited.length ? "reserved" : "open", index),
    );
    return [...taken, ...invited, ...rest].slice(0, count); // an invitation may have just been used
  }

  /** Whether the player of this browser has an invitation, and no seat. */
  function isInvited() {
    return store.seat === null && !hosted() && Boolean(tokensOf(store.id).invite);
  }

  /** @param {"kept" | "reserved" | "open"} kind @param {number} index */
  function emptySeat(kind, index) {
    const make = () => ({
      root: h("li", { class: kind }, emptyMark(), h("span", { class: "faint" }, t(`lobby.seat_${kind}`))),
      update() {},
    });
    return { key: `${kind}${index}`, make };
  }

  /** @param {Player} player */
  function takenSeat(player) {
    const title = h("bdi", {});
    const note = h("span", { class: "faint" });
    const remove = button(t("lobby.remove"), () => removeSeat(latest, remove), {
      class: "small",
      "data-act": "remove",
    });
    let latest = player;
    return {
      root: h("li", { class: "taken" }, colorMark(player.color), title, note, h("div", { class: "bar" }, remove)),
      update: (/** @type {Row} */ { player: shown = latest }) => {
        latest = shown;
        setText(title, shown.name);
        const act = t(shown.seat === store.seat ? "lobby.leave" : "lobby.remove");
        setText(remove, act);
        attribute(remove, "aria-label", `${act}: ${shown.name}`);
        setText(
          note,
          shown.bot ? t("seat.bot", { bot: botName(shown.bot) }) : shown.seat === store.seat ? t("seat.you") : "",
        );
        hide(remove, !hosted());
      },
    };
  }

  return {
    root,
    update() {
      const { view } = store;
      hide(root, view.status !== "lobby");
      if (root.hidden) return;
      keyed(
        seats,
        rows(),
        ({ key }) => key,
        ({ make }) => make(),
      );
      const host = hosted() !== null;
      const open = unreserved();
      const invited = tokensOf(store.id).invite || (host && invites.codes().length > 0);
      hide(kept, !isInvited());
      setText(inviting, host ? invites.hint() : "");
      setText(ruleset, rulesetText(view.ruleset));
      hide(ruleset, !ruleset.textContent);
      keyed(
        options,
        optionTexts(view.options),
        (text) => text,
        (text) => ({ root: h("li", {}, text), update() {} }),
      );
      setText(sitting, t(host && store.seat !== null ? "lobby.seat_here" : "lobby.join"));
      sitting.classList.toggle("primary", store.seat === null);
      hide(join, (open === 0 && !invited) || (store.seat !== null && !host));
      hide(start, !host);
      start.disabled = view.players.length < 2;
      const isFull = view.players.length === view.seat_count;
      hide(bots, !host || isFull);
      for (const one of bots.querySelectorAll("button")) one.disabled = open === 0;
      setText(noBots, !host || isFull || open > 0 ? "" : t("lobby.no_bots"));
      hide(link, open === 0 || view.visibility === "private");
      hide(invite, !host || open === 0);
      setText(hint, hintText());
      if (!typed) proposeFreeName(name, view.players);
      for (const one of root.querySelectorAll("button")) attribute(one, "aria-disabled", store.busy ? "true" : null);
    },
  };
}
