import { inUnits, t } from "../shared/i18n.js";
import { scoringTitle } from "../shared/rulesets.js";

/** The units of times, the largest first, with their milliseconds. */
const UNITS = /** @type {const} */ ([
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
]);

/** @typedef {Pick<import("../state/api.js").Game["options"], "turn_ms" | "budget_ms" | "increment_ms">} TimeLimits */

/**
 * Return the time limits of a game in words.
 *
 * @param {TimeLimits} limits
 */
export function timeTexts({ turn_ms, budget_ms, increment_ms }) {
  const times = [
    turn_ms !== null && `${t("front.clock")}: ${duration(turn_ms)}`,
    budget_ms !== null && `${t("front.budget")}: ${duration(budget_ms)}`,
    budget_ms !== null && increment_ms > 0 && `${t("front.increment")}: ${duration(increment_ms)}`,
  ].filter((text) => typeof text === "string");
  return times.length ? times : [`${t("front.clock")}: ${t("front.no_clock")}`];
}

/**
 * Return in words what the creator of a game has chosen: always the times and whose gold is public; the rest if it is not as usual.
 *
 * @param {import("../state/api.js").Game["options"]} options
 */
export function optionTexts({ open_gold, hints, public_from, host_may_abort, scoring_tiles: tiles, ...limits }) {
  return [
    ...timeTexts(limits),
    t(open_gold ? "lobby.open_gold" : "lobby.hidden_gold"),
    !hints && t("front.no_hints"),
    public_from === "end" && t("front.public_from_end"),
    host_may_abort && t("front.host_may_abort"),
    tiles && `${t("tab.scoring")}: ${tiles.map(scoringTitle).join(" · ")}`,
  ].filter((text) => typeof text === "string");
}

/**
 * Return in words what kind of game strangers wait for, such as "2 players · 2 minutes".
 *
 * @param {{seat_count: number, turn_ms: number}} kind
 */
export function kindText({ seat_count: count, turn_ms: turn }) {
  return `${t("front.players", { count })} · ${duration(turn)}`;
}

/** Return a time in words, in its largest unit. @param {number} ms */
export function duration(ms) {
  const [unit, size] = UNITS.find(([, length]) => ms % length === 0) ?? ["second", 1000];
  return inUnits(ms / size, unit);
}
