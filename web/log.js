import { h } from "./dom.js";
import { isolated, list, signed, t } from "./i18n.js";
import { placeName } from "./place.js";

/** @typedef {import("./api.js").Event} Event */
/** @typedef {import("./api.js").Game} Game */

/**
 * What has happened, newest first.
 *
 * @param {{view: Game, log: Event[]}} store
 */
export function logPanel(store) {
  /** The events that are shown, oldest first, and their lines. @type {[number, HTMLElement | null][]} */
  const shown = [];
  const items = h("ol", { class: "log", "aria-live": "off", tabindex: 0, "aria-label": t("tab.log") });
  const root = h("section", { class: "panel", "aria-label": t("tab.log") }, h("h2", {}, t("tab.log")), items);
  return { root, show() {
    const { log, view } = store;
    while (shown.length > log.length || (shown.length && shown.at(-1)?.[0] !== log[shown.length - 1]?.id)) shown.pop()?.[1]?.remove();
    for (const event of log.slice(shown.length)) {
      const text = story(event, view);
      const line = text ? h("li", { class: event.type }, text) : null;
      if (line) items.prepend(line);
      shown.push([event.id, line]);
    }
  } };
}

/**
 * Return an event in words, or an empty string for an event that the log leaves out.
 *
 * @param {any} event
 * @param {Game} view
 * @returns {string}
 */
export function story(event, view) {
  const name = (/** @type {number} */ seat) => view.players[seat]?.name ?? t("log.seat", { seat: seat + 1 });
  /** @type {Record<string, () => string>} */
  const texts = {
    game_created: () => t("log.game_created"),
    player_joined: () => t("log.player_joined", { name: event.name }),
    player_changed: () => t("log.player_changed", { name: event.name }),
    invite_created: () => t("log.invite_created"),
    invite_accepted: () => t("log.invite_accepted"),
    token_rotated: () => t("log.token_rotated", { name: name(event.seat) }),
    player_left: () => t("log.player_left"),
    game_started: () => t("log.game_started"),
    round_started: () => t("log.round_started", { round: event.round, name: name(event.starting_seat) }),
    offer_set: () => t("log.offer_set", { name: name(event.seat) }),
    offers_revealed: () => t("log.offers_revealed"),
    tiles_discarded: () => t("log.tiles_discarded", { tiles: list(event.tiles) }),
    tile_bought: () => t("log.tile_bought", { name: name(event.seat), tile: event.tile, seller: name(event.seller), count: event.price }),
    buy_passed: () => t("log.buy_passed", { name: name(event.seat) }),
    tile_placed: () => t("log.tile_placed", { name: name(event.seat), tile: event.tile, place: placeName(event.x, event.y) }),
    placement_taken_back: () => t("log.placement_taken_back", { name: name(event.seat), tile: event.tile }),
    building_finished: () => (event.returned.length ? t("log.returned", { name: name(event.seat), tiles: list(event.returned) })
      : t("log.building_finished", { name: name(event.seat) })),
    round_scored: () => t("log.round_scored", { points: list(event.players.map((/** @type {any} */ { seat, scoring_tiles }) => (
      `${isolated(name(seat))} ${signed(scoring_tiles.reduce((/** @type {number} */ sum, /** @type {any} */ { points }) => sum + points, 0))}`))) }),
    timed_out: () => t("log.timed_out", { name: name(event.seat) }),
    bot_took_over: () => t("log.bot_took_over", { name: name(event.seat), bot: t(`bot.${event.bot}`) }),
    game_finished: () => t("result.winners", { count: event.result.winners.length, names: list(event.result.winners.map(name)) }),
    game_aborted: () => t("result.aborted"),
  };
  return texts[event.type]?.() ?? "";
}
