import { botName } from "../shared/bots.js";
import { attribute, button, h, hide, keyed, setText, whenChanged } from "../shared/dom.js";
import { list, number, t } from "../shared/i18n.js";
import { boundsOf } from "./place.js";
import { tilePicture } from "../state/pictures.js";

/** @typedef {import("../state/api.js").Player} Player */
/** @typedef {Extract<import("../state/api.js").Event, {type: "round_scored" | "game_finished"}>} Scored An event with points. */

const SHAPES = { red: "▲", blue: "●", yellow: "★", white: "◆", green: "■" };

/** Create the mark of a colour; each has a different shape, for players with colour vision deficiency. @param {string} color */
export function colorMark(color) {
  return h("span", { class: `mark ${color}`, "aria-hidden": "true" }, SHAPES[/** @type {keyof SHAPES} */ (color)] ?? "●");
}

/**
 * Return the points of a player that the page shows: while points are being counted, those that have been counted.
 *
 * @param {{counted?: Map<number, number> | null}} store
 * @param {Player} player
 */
export function shownScore({ counted }, { seat, score }) {
  return counted?.get(seat) ?? score;
}

/** Return in words who has won. @param {readonly number[]} winners @param {import("../state/api.js").Game} view */
export function winnersText(winners, { players }) {
  return t("result.winners", { count: winners.length, names: list(winners.map((seat) => players[seat].name)) });
}

/**
 * Return the players of a result in the order of their rank: by points, of a tie the winners first.
 *
 * @param {NonNullable<import("../state/api.js").Game["result"]>} result
 */
export function ranked({ winners, players }) {
  return [...players].sort((a, b) => b.score - a.score || Number(winners.includes(b.seat)) - Number(winners.includes(a.seat)) || a.seat - b.seat);
}

/** Return the points of each seat before an event. @param {Scored} event @returns {Map<number, number>} */
export function pointsBefore(event) {
  if (event.type === "game_finished") return new Map(event.result.players.map((player) => [player.seat, player.score - player.scroll_points - player.gold_points]));
  return new Map(event.players.map(({ seat, score, scoring_tiles }) => [seat, score - scoring_tiles.reduce((sum, { points }) => sum + points, 0)]));
}

/**
 * Create a card for each seat, with a small picture of its territory.
 *
 * @param {{view: import("../state/api.js").Game, players: Player[], seat: number | null, counted?: Map<number, number> | null}} store
 * @param {(seat: number) => void} choose Shows the territory of a seat.
 * @param {() => number} chosen The seat whose territory is shown.
 * @param {((seat: number) => void) | null} [explain] Shows what earned the points of a seat.
 */
export function seatCards(store, choose, chosen, explain = null) {
  const cards = h("div", { class: "seats" });
  const root = h("section", { class: "panel", "aria-label": t("tab.seats") }, h("h2", {}, t("tab.seats")), cards);

  /** @param {Player} player */
  function card({ seat }) {
    const name = h("h3", {});
    const notes = h("div", { class: "notes" });
    const score = explain ? button("", () => explain(seat), { class: "score", "data-act": "points" }) : h("div", { class: "score" });
    const map = h("div", { class: "mini", "aria-hidden": "true", dir: "ltr", onclick: () => choose(seat) });
    const look = button("", () => choose(seat), { class: "look" });
    const box = h("article", { class: "seat", "data-seat": seat }, h("div", { class: "seat-head" }, name, score), notes, map, look);
    const changed = whenChanged();
    return { root: box, show(/** @type {Player} */ player) {
      const texts = badges(store.view, player);
      const acting = store.view.status === "playing" && store.view.waiting_for.includes(seat);
      changed([player, texts, acting, store.seat, chosen(), shownScore(store, player), store.view.status], () => draw(player, texts, acting));
    } };

    /** @param {Player} player @param {string[]} texts @param {boolean} acting */
    function draw(player, texts, acting) {
      name.replaceChildren(colorMark(player.color), h("bdi", {}, player.name), seat === store.seat ? h("span", { class: "badge" }, t("seat.you")) : "");
      const points = shownScore(store, player);
      setText(score, number(points));
      hide(score, store.view.status === "lobby");
      attribute(score, "aria-label", t("seat.score", { count: points }) + (explain ? `, ${t("points.show")}` : ""));
      box.classList.toggle("mine", seat === store.seat);
      box.classList.toggle("acting", acting);
      notes.replaceChildren(...texts.map((text) => h("span", { class: "badge" }, text)));
      const { rows, columns } = boundsOf(player.territory);
      map.style.setProperty("--mini", `${Math.min(2.4, 7.2 / rows, 12 / columns)}rem`);
      keyed(map, miniTiles(player), ({ key }) => key, (tile) => miniTile(store.view.ruleset, tile));
      setText(look, chosen() === seat ? t("seat.shown") : t("seat.look", { name: player.name }));
      attribute(look, "aria-pressed", String(chosen() === seat));
    }
  }

  return { root, show() { keyed(cards, store.players, ({ seat }) => seat, card); } };
}

/** @param {import("../state/api.js").Game} view @param {Player} player */
function badges(view, player) {
  const playing = view.status === "playing";
  return [
    playing && view.waiting_for.includes(player.seat) && t(`acting.${view.phase}`),
    playing && player.seat === view.starting_seat && t("seat.starts"),
    player.bot && t("seat.bot", { bot: botName(player.bot) }),
    view.phase === "pricing" && player.offer_set && t("seat.set"),
    view.phase === "building" && player.building_finished && t("seat.built"),
    player.gold !== null && view.status !== "lobby" && t("gold", { count: player.gold }),
    player.tiles_to_build.length > 0 && t("seat.hand", { count: player.tiles_to_build.length }),
  ].filter((text) => typeof text === "string");
}

/** @param {Player} player */
function miniTiles({ territory }) {
  const { left, top } = boundsOf(territory);
  return territory.map((tile) => ({ ...tile, key: `${tile.tile}.${tile.rotation}`, column: tile.x - left + 1, row: tile.y - top + 1 }));
}

/** @param {string} ruleset @param {ReturnType<typeof miniTiles>[number]} tile */
function miniTile(ruleset, { tile, rotation }) {
  const root = h("img", { src: tilePicture(ruleset, tile, rotation), alt: "" });
  return { root, show: (/** @type {ReturnType<typeof miniTiles>[number]} */ { column, row }) => {
    root.style.gridColumn = String(column);
    root.style.gridRow = String(row);
  } };
}
