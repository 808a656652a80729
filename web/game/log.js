import { botName } from "../shared/bots.js";
import { goldText, inWords, withCoins } from "../shared/coins.js";
import { h } from "../shared/dom.js";
import { has, isolated, list, signed, t } from "../shared/i18n.js";
import { scoringTitle } from "../shared/rulesets.js";
import { tileNameAndWords, tileWords } from "../shared/tile-words.js";
import { isOwnMove } from "../state/by-server.js";
import { formatDuration } from "../state/clock.js";
import { tilePicture } from "../state/pictures.js";
import { placeName } from "./place.js";
import { winnersText } from "./seats.js";

/** @typedef {import("../state/api.js").Event} Event */
/** @typedef {import("../state/api.js").Game} Game */

/** @typedef {{view: Game, log: readonly Event[]}} Told A game, and the events that explain who made a move. */

/** How many thumbnails a line has at most. */
const MAX_THUMBNAILS = 3;

/** Create the log of events, newest first. @param {{view: Game, log: Event[]}} store */
export function logPanel(store) {
  /** The events that are shown, oldest first, and their lines. @type {[number, HTMLElement | null][]} */
  const shown = [];
  const items = h("ol", { class: "log", "aria-live": "off", tabindex: 0, "aria-label": t("tab.log") });
  const root = h("section", { class: "panel", "aria-label": t("tab.log") }, h("h2", {}, t("tab.log")), items);
  return {
    root,
    update() {
      const { log, view } = store;
      while (shown.length > log.length || (shown.length && shown.at(-1)?.[0] !== log[shown.length - 1]?.id))
        shown.pop()?.[1]?.remove();
      for (const event of log.slice(shown.length)) {
        const text = storyFor(event, store);
        const parts = text ? partsOf(event, store) : [];
        const words = parts.length
          ? h("details", {}, h("summary", {}, withCoins(text)), ...parts.map((part) => h("p", {}, withCoins(part))))
          : h("span", {}, withCoins(text));
        const line = text ? h("li", { class: event.type }, ...thumbnails(event, view), words) : null;
        if (line) items.prepend(line);
        shown.push([event.id, line]);
      }
    },
  };
}

/**
 * Create small pictures of the tiles of an event, as they lie, each with its description.
 *
 * @param {any} event
 * @param {Game} view
 */
export function thumbnails(event, view) {
  const tiles = event.tile ? [event.tile] : (event.tiles_returned ?? []).slice(0, MAX_THUMBNAILS);
  return tiles.map((/** @type {string} */ tile) => thumbnail(view.ruleset, tile, event.rotation ?? 0));
}

/**
 * Create a small picture of a tile with its description.
 *
 * @param {string} ruleset
 * @param {string} tile
 * @param {number} [rotation]
 */
export function thumbnail(ruleset, tile, rotation = 0) {
  const words = tileWords(ruleset, tile, rotation);
  return h("img", {
    src: tilePicture(ruleset, tile, rotation),
    alt: words,
    title: words || null,
    width: 36,
    height: 36,
  });
}

/** Return an event in words with its tiles described, for screen readers. @param {any} event @param {Told} told */
export function spokenStory(event, told) {
  return inWords(storyFor(event, told, (tile) => tileNameAndWords(told.view.ruleset, tile, event.rotation ?? 0)));
}

/**
 * Return an event in words, addressed to our seat if it happened to our seat: the server decided for us, or we left or
 * came back.
 *
 * @param {any} event
 * @param {Told} told
 * @param {(tile: string) => string} [nameOf] Returns how to name a tile.
 */
export function storyFor(event, { view, log }, nameOf = (tile) => tile) {
  if (!happenedTo(view.you.seat, event, log)) return story(event, view, nameOf);
  const prices = Object.entries(event.prices ?? {}).map(
    ([tile, price]) => `${nameOf(tile)}: ${goldText(Number(price))}`,
  );
  return t(ownKey(event), {
    bot: botName(event.bot ?? ""),
    tile: nameOf(event.tile ?? event.discard ?? ""),
    prices: list(prices),
    seller: view.players[event.seller]?.name ?? "",
    count: goldText(event.price ?? 0),
    place: placeName(event.x, event.y),
  });
}

/**
 * Return of what an income or the points of a round consist, a text for each player; nothing for other events.
 *
 * @param {any} event
 * @param {Told} told
 * @returns {string[]}
 */
function partsOf(event, { view, log }) {
  const gold = (/** @type {number} */ count) => goldText(count, signed(count));
  const line = (/** @type {any} */ { seat }, /** @type {string[]} */ parts) =>
    `${isolated(view.players[seat]?.name ?? "")}: ${list(parts)}`;
  if (event.type === "round_scored")
    return event.players.map((/** @type {any} */ player) =>
      line(
        player,
        player.scoring_tiles.map(
          (/** @type {any} */ { slot, scoring_tile: id, points }) => `${slot} ${scoringTitle(id)} ${signed(points)}`,
        ),
      ),
    );
  if (event.type !== "income_paid") return [];
  const scored = /** @type {any} */ (log.findLast(({ id, type }) => type === "round_scored" && id < event.id));
  const scores = new Map(scored?.players.map((/** @type {any} */ { seat, score }) => [seat, score]));
  return event.players.map((/** @type {any} */ paid) => {
    const ahead = view.players.filter(({ seat }) => (scores.get(seat) ?? 0) > (scores.get(paid.seat) ?? 0));
    const names = ahead.map(({ name }) => name).join(t("list.comma"));
    return line(
      paid,
      [
        t("income.castle", { gold: gold(paid.castle) }),
        paid.whisky > 0 ? t("income.whisky", { gold: gold(paid.whisky) }) : "",
        paid.catch_up > 0 ? t("income.catch_up", { names, gold: gold(paid.catch_up) }) : "",
      ].filter(Boolean),
    );
  });
}

/** @param {any} event */
function ownKey({ type, reason }) {
  return `own.${reason === "out_of_time" ? reason : type}`;
}

/**
 * Return whether an event happened to a seat, without the player: a missed deadline, a take-over, a move of the server.
 *
 * @param {number | null} seat
 * @param {any} event
 * @param {readonly Event[]} log
 */
export function happenedTo(seat, event, log) {
  const isOurs = seat !== null && event.seat === seat && event.reason !== "resigned";
  return isOurs && has(ownKey(event)) && !isOwnMove(log, event, seat);
}

/** Return what is proposed, and by whom. @param {{seat: number | null, kind: string}} proposal @param {Game} view */
export function proposalText({ seat, kind }, view) {
  const proposer = view.players.find((player) => player.seat === seat);
  if (proposer && kind === "pause") return t("proposal.pause", { name: proposer.name });
  return proposer ? t("proposal.abort", { name: proposer.name }) : t("proposal.abort_host");
}

/**
 * Return an event in words, or an empty string for an event that the log leaves out.
 *
 * @param {any} event
 * @param {Game} view
 * @param {(tile: string) => string} [nameOf] Returns how to name a tile.
 * @returns {string}
 */
export function story(event, view, nameOf = (tile) => tile) {
  const name = (/** @type {number} */ seat) =>
    view.players.find((player) => player.seat === seat)?.name ?? t("menu.seat", { seat: seat + 1 });
  /** Events whose text needs more than a name and a tile. @type {Record<string, () => string>} */
  const texts = {
    round_started: () => t("log.round_started", { round: event.round, name: name(event.starting_seat) }),
    income_paid: () =>
      t("log.income_paid", {
        incomes: list(
          event.players.map(
            (/** @type {any} */ { seat, total }) => `${isolated(name(seat))} ${goldText(total, signed(total))}`,
          ),
        ),
      }),
    tiles_discarded: () => t("log.tiles_discarded", { tiles: list(event.tiles.map(nameOf)) }),
    tile_bought: () =>
      t("log.tile_bought", {
        name: name(event.seat),
        tile: nameOf(event.tile ?? ""),
        seller: name(event.seller),
        count: goldText(event.price),
      }),
    tile_placed: () =>
      t("log.tile_placed", {
        name: name(event.seat),
        tile: nameOf(event.tile ?? ""),
        place: placeName(event.x, event.y),
      }),
    building_finished: () =>
      event.tiles_returned.length
        ? t("log.returned", { name: name(event.seat), tiles: list(event.tiles_returned.map(nameOf)) })
        : t("log.building_finished", { name: name(event.seat) }),
    round_scored: () =>
      t("log.round_scored", {
        points: list(
          event.players.map(
            (/** @type {any} */ { seat, scoring_tiles }) =>
              `${isolated(name(seat))} ${signed(scoring_tiles.reduce((/** @type {number} */ sum, /** @type {any} */ { points }) => sum + points, 0))}`,
          ),
        ),
      }),
    bot_changed: () =>
      t(event.bot ? "log.bot_took_over" : "log.bot_released", {
        name: name(event.seat),
        bot: botName(event.bot ?? ""),
      }),
    player_left: () => t(event.removed ? "log.player_removed" : "log.player_left"),
    seat_returned: () => t("log.bot_released", { name: name(event.seat) }),
    bot_took_over: () =>
      t(event.reason === "resigned" ? "log.resigned" : "log.bot_took_over", {
        name: name(event.seat),
        bot: botName(event.bot),
      }),
    time_added: () => (event.added_ms > 0 ? t("log.time_added", { time: formatDuration(event.added_ms) }) : ""),
    game_finished: () => winnersText(event.result.winners, view),
    game_aborted: () => t("status.aborted"),
    proposal_made: () => proposalText(event, view),
    proposal_answered: () =>
      t(event.accepted ? `log.${event.kind === "pause" ? "pause" : "proposal"}_accepted` : "log.proposal_refused", {
        name: name(event.seat),
      }),
    proposal_ended: () => (["expired", "withdrawn"].includes(event.outcome) ? t(`log.proposal_${event.outcome}`) : ""),
  };
  const key = `log.${event.type}`;
  return (
    texts[event.type]?.() ??
    (has(key) ? t(key, { name: event.name ?? name(event.seat), tile: nameOf(event.tile ?? "") }) : "")
  );
}
