import { button, h, hide } from "../shared/dom.js";
import { signed, t } from "../shared/i18n.js";
import { thumbnail } from "./log.js";

/** @typedef {import("../state/store.js").Store} Store */

const AWAY_MS = 60_000;
/** The events that end a turn of ours. */
const OWN_ACTIONS = new Set(["offer_set", "tile_bought", "purchase_passed", "tile_placed", "building_finished"]);

/**
 * Create the card about what happened since our last turn: shown after a reload, and after a minute in which the page was
 * hidden. Our next action closes it.
 *
 * @param {Store} store
 */
export function sinceLastTurn(store) {
  const lines = h("ul", {});
  const close = button(t("close"), () => hide(root, true), { class: "small", "data-act": "close-since" });
  const root = h(
    "section",
    { class: "since panel", hidden: true, "aria-label": t("since.title") },
    h("div", { class: "bar" }, h("h2", {}, t("since.title")), close),
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
    if (isOwnAction(event, store.seat)) hide(root, true);
  });
  return { root, open, close: () => document.removeEventListener("visibilitychange", changedVisibility) };
}

/** @param {any} event @param {number | null} own */
function isOwnAction({ type, seat }, own) {
  return seat === own && OWN_ACTIONS.has(type);
}

/**
 * Return a line for each kind of thing that has happened since the last action of a seat: what was bought from the seat, its
 * income, what the others built, and its points.
 *
 * @param {Store} store
 * @param {number} seat
 */
function summary({ log, view }, seat) {
  const last = log.findLastIndex((event) => isOwnAction(event, seat));
  const since = /** @type {any[]} */ (last < 0 ? [] : log.slice(last + 1));
  const name = (/** @type {number} */ other) => view.players[other]?.name ?? "";
  const bought = since
    .filter(({ type, seller }) => type === "tile_bought" && seller === seat)
    .map(({ tile, price, seat: buyer }) =>
      h(
        "li",
        {},
        thumbnail(view.ruleset, tile),
        h("span", {}, t("since.bought", { name: name(buyer), tile, count: price })),
      ),
    );
  const incomes = since
    .flatMap(({ type, players }) => (type === "income_paid" ? players : []))
    .filter((paid) => paid.seat === seat);
  const income = incomes.reduce((sum, { total }) => sum + total, 0);
  const built = view.players
    .filter((player) => player.seat !== seat)
    .flatMap((player) => {
      const count = since.reduce(
        (sum, { type, seat: by }) =>
          by !== player.seat ? sum : type === "tile_placed" ? sum + 1 : type === "placement_taken_back" ? sum - 1 : sum,
        0,
      );
      return count > 0 ? [h("li", {}, t("since.built", { name: player.name, count }))] : [];
    });
  const scored = since
    .filter(({ type }) => type === "round_scored")
    .flatMap(({ players }) => players)
    .filter((points) => points.seat === seat);
  const points = scored.flatMap(({ scoring_tiles: tiles }) => tiles).reduce((sum, tile) => sum + tile.points, 0);
  return [
    ...bought,
    ...(income ? [h("li", {}, t("since.income", { gold: signed(income) }))] : []),
    ...built,
    ...(scored.length ? [h("li", {}, t("since.points", { points: signed(points) }))] : []),
  ];
}
