import { goldText, withCoins } from "../shared/coins.js";
import { button, h, hide } from "../shared/dom.js";
import { signed, t } from "../shared/i18n.js";
import { isOwnMove } from "../state/by-server.js";
import { happenedTo, story, storyFor, thumbnail, thumbnails } from "./log.js";

/** @typedef {import("../state/store.js").Store} Store */

const AWAY_MS = 60_000;
/** The events that need more than a notice: the card about them stays. */
const GRAVE = new Set(["timed_out", "bot_took_over"]);

/**
 * Create the card about what happened since our last turn: shown after a reload, and after a minute in which the page was
 * hidden, and when the server decides for us. Our next action closes it.
 *
 * @param {Store} store
 */
export function sinceLastTurn(store) {
  const lines = h("ul", {});
  const close = button(t("close"), () => hide(root, true), { class: "small", "data-act": "close-since" });
  const root = h(
    "section",
    { class: "since panel", hidden: true, "aria-label": t("since.title") },
    h("div", { class: "bar" }, h("h2", { class: "sr-narrow" }, t("since.title")), close),
    lines,
  );
  let hiddenAt = 0;

  function changedVisibility() {
    if (document.hidden) hiddenAt = Date.now();
    else if (hiddenAt && Date.now() - hiddenAt > AWAY_MS) open();
  }

  /** Show what happened, if something did. */
  function open() {
    const items = store.seat === null || store.view.status !== "playing" ? [] : summary(store, store.seat);
    lines.replaceChildren(...items);
    hide(root, !items.length);
  }

  document.addEventListener("visibilitychange", changedVisibility);
  store.onEvent((event) => {
    const { seat, log } = store;
    if (isOwnMove(log, event, seat)) hide(root, true);
    else if (happenedTo(seat, event, log) && (GRAVE.has(event.type) || !root.hidden)) open();
  });
  return { root, open, close: () => document.removeEventListener("visibilitychange", changedVisibility) };
}

/**
 * Return a line for each kind of thing that has happened since the last move of a player: the beginning of the game and
 * outages, what the server did for the seat, what was bought from it, its income, what the others built, and its points.
 *
 * @param {Store} store
 * @param {number} seat
 */
function summary(store, seat) {
  const { log, view } = store;
  const last = log.findLastIndex((event) => isOwnMove(log, event, seat));
  const since = /** @type {any[]} */ (last < 0 ? sinceBegin(store) : log.slice(last + 1));
  const name = (/** @type {number} */ other) => view.players[other]?.name ?? "";
  const news = since
    .filter(({ type }) => type === "game_started" || type === "time_added")
    .map((event) => h("li", {}, story(event, view)));
  const ours = since
    .filter((event) => happenedTo(seat, event, log))
    .map((event) => {
      const pictures = event.discard ? [thumbnail(view.ruleset, event.discard)] : thumbnails(event, view);
      return h("li", {}, ...pictures, h("span", {}, withCoins(storyFor(event, store))));
    });
  const bought = since
    .filter(({ type, seller }) => type === "tile_bought" && seller === seat)
    .map(({ tile, price, seat: buyer }) =>
      h(
        "li",
        {},
        thumbnail(view.ruleset, tile),
        h("span", {}, withCoins(t("since.bought", { name: name(buyer), tile, count: goldText(price) }))),
      ),
    );
  const incomes = since
    .flatMap(({ type, players }) => (type === "income_paid" ? players : []))
    .filter((paid) => paid.seat === seat);
  const income = incomes.reduce((sum, { total }) => sum + total, 0);
  const built = view.players
    .filter((player) => player.seat !== seat)
    .flatMap((player) => {
      const placed = player.territory.filter(({ tile }) =>
        since.some((event) => event.type === "tile_placed" && event.tile === tile),
      );
      const pictures = placed.map(({ tile, rotation }) => thumbnail(view.ruleset, tile, rotation));
      const text = t("since.built", { name: player.name, count: placed.length });
      return placed.length ? [h("li", {}, ...pictures, h("span", {}, text))] : [];
    });
  const scored = since
    .filter(({ type }) => type === "round_scored")
    .flatMap(({ players }) => players)
    .filter((points) => points.seat === seat);
  const points = scored.flatMap(({ scoring_tiles: tiles }) => tiles).reduce((sum, tile) => sum + tile.points, 0);
  return [
    ...news,
    ...ours,
    ...bought,
    ...(income ? [h("li", {}, withCoins(t("since.income", { gold: goldText(income, signed(income)) })))] : []),
    ...built,
    ...(scored.length ? [h("li", {}, t("since.points", { points: signed(points) }))] : []),
  ];
}

/** Return the events of a game that has begun without the player, some time ago; none of one that has just begun. @param {Store} store */
function sinceBegin({ log, view }) {
  const begun = log.findIndex(({ type }) => type === "game_started");
  const isNew = begun < 0 || Date.parse(view.now) - Date.parse(log[begun].at) < AWAY_MS;
  return isNew && !view.players[view.you.seat ?? 0].end.missed_deadlines ? [] : log.slice(Math.max(begun, 0));
}
