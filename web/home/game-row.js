import { h } from "../shared/dom.js";
import { botLevel } from "../shared/bots.js";
import { gameName } from "../shared/game-name.js";
import { dateTime, list, t } from "../shared/i18n.js";
import { timeTexts } from "./option-texts.js";
import { gameUrl } from "../shared/urls.js";

/**
 * @typedef {{seat: number, name: string, bot: string | null}} ListedPlayer
 * @typedef {import("./option-texts.js").TimeLimits} TimeLimits
 * @typedef {{id: string, name: string, status: string, round: number, seat_count: number, reserved_seats?: number, created_at: string,
 *   players: ListedPlayer[]} & Partial<TimeLimits>} Listed
 */

/** @type {TimeLimits} */
const NO_LIMITS = { turn_ms: null, budget_ms: null, increment_ms: 0 };

/**
 * Create the row of a game in a list: its name and date, the opponents with the levels of bots, and the round.
 *
 * @param {Listed} game
 * @param {number | null} [mine] Our seat, which is no opponent.
 * @param {string} [call] What we can do there now.
 */
export function gameRow(game, mine = null, call = "") {
  const names = game.players
    .filter(({ seat }) => seat !== mine)
    .map(({ name, bot }) => (bot ? `${name} (${botLevel(bot) || bot})` : name));
  const standing =
    game.status === "lobby"
      ? t("front.seated", { count: game.players.length, seats: game.seat_count })
      : game.status === "playing"
        ? t("front.round", { round: game.round })
        : t(`status.${game.status}`);
  const isOpen = game.status === "lobby" && game.players.length + (game.reserved_seats ?? 0) < game.seat_count;
  return h(
    "li",
    {},
    h("a", { href: gameUrl(game.id) }, gameName(game.name)),
    h("span", { class: "opponents" }, names.length ? list(names) : ""),
    call ? h("span", { class: "badge call" }, call) : null,
    isOpen && mine === null
      ? h("a", { href: gameUrl(game.id), "aria-label": `${t("front.join")}: ${gameName(game.name)}` }, t("front.join"))
      : null,
    h("span", { class: "faint" }, standing),
    game.status === "lobby"
      ? h("span", { class: "faint times" }, timeTexts({ ...NO_LIMITS, ...game }).join(" · "))
      : null,
    h("time", { class: "faint", datetime: game.created_at }, dateTime(game.created_at)),
  );
}
