import { botLevel } from "../shared/bots.js";
import { button, h, hide } from "../shared/dom.js";
import { gameName } from "../shared/game-name.js";
import { date, list, t } from "../shared/i18n.js";
import { toastError } from "../shared/toast.js";

/**
 * @typedef {import("../../clients/typescript/src/games.js").OwnGames} OwnGames
 * @typedef {import("../../clients/typescript/src/resources.js").Result<"list_own_records">["games"][number]} PastGame
 */

const PAGE = 20;

/** Create the list of the finished games of a player key, also those that have expired. */
export function pastGames() {
  const rows = h("ul", { class: "games past" });
  const none = h("p", { class: "faint", hidden: true }, t("past.none"));
  /** @type {OwnGames} */
  let games;
  /** @type {string | null} */
  let cursor = null;
  const more = button(t("past.more"), () => void load().catch(toastError), { class: "small", hidden: true });

  async function load() {
    const page = await games.listPast({ limit: PAGE, ...(cursor && { cursor }) });
    if (!cursor) rows.replaceChildren();
    rows.append(...page.games.map(row));
    cursor = page.next_cursor;
    hide(more, cursor === null);
    hide(none, rows.childElementCount > 0);
  }

  return {
    root: h("div", {}, rows, none, more),
    /** Show the first page of a player's games. @param {OwnGames} own */
    show(own) {
      games = own;
      cursor = null;
      return load();
    },
  };
}

/** @param {PastGame} game */
function row({ players, seat, place, finished_at: finished, name }) {
  const { score, end } = players[seat];
  const others = players
    .filter((player) => player.seat !== seat)
    .map((player) => (player.bot ? `${player.name} (${botLevel(player.bot) || player.bot})` : player.name));
  return h(
    "li",
    {},
    h("bdi", {}, gameName(name)),
    h("span", { class: "opponents" }, list(others)),
    h("span", { class: "badge" }, place ? t("past.place", { place, players: players.length }) : t("status.aborted")),
    h("span", { class: "faint" }, t("seat.score", { count: score })),
    end.type === "played" ? null : h("small", {}, t(`end.${end.type}`, { round: end.round ?? 0 })),
    h("time", { class: "faint", datetime: finished }, date(finished)),
  );
}
