import { awayText } from "./away.js";
import { botName } from "../shared/bots.js";
import { coin } from "../shared/coins.js";
import { attribute, button, h, hide, keyed, setText, whenChanged } from "../shared/dom.js";
import { list, number, t } from "../shared/i18n.js";
import { boundsOf } from "./place.js";
import { hintScroll } from "../shared/scroll-hint.js";
import { ratedBadges } from "../shared/rating.js";
import { formatDuration, remainingMs } from "../state/clock.js";
import { tilePicture } from "../state/pictures.js";

/** @typedef {import("../state/api.js").Player} Player */
/**
 * @typedef {Extract<import("../state/api.js").Event, {type: "round_scored" | "game_finished"}>} Scored An event with points.
 */

/** A clock with less than this is highlighted, in milliseconds. */
const LAST_SECONDS_MS = 10_000;

/** Where the players are a strip above the board, as in `layout.css`. */
const NARROW = /** @type {Partial<MediaQueryList>} */ (
  globalThis.matchMedia?.("(max-width: 63.99rem)") ?? { matches: false }
);

const SHAPES = { red: "▲", blue: "●", yellow: "★", white: "◆", green: "■" };

/**
 * Create the mark of a colour; each has a different shape, for players with colour vision deficiency.
 *
 * @param {string} color
 */
export function colorMark(color) {
  return h(
    "span",
    { class: `mark ${color}`, "aria-hidden": "true" },
    SHAPES[/** @type {keyof SHAPES} */ (color)] ?? "●",
  );
}

/**
 * Return the points of a player that the page shows: while points are being counted, those that have been counted.
 *
 * @param {Pick<Shown, "counted">} store
 * @param {Player} player
 */
export function shownScore({ counted }, { seat, score }) {
  return counted?.points.get(seat) ?? score;
}

/** Return in words who has won. @param {readonly number[]} winners @param {import("../state/api.js").Game} view */
export function winnersText(winners, { players }) {
  if (winners.length === 0) return t("result.nobody");
  return t("result.winners", { count: winners.length, names: list(winners.map((seat) => players[seat].name)) });
}

/**
 * Return the players of a result in the order of their places, each with its place.
 *
 * @param {NonNullable<import("../state/api.js").Game["result"]>} result
 */
export function ranked({ placing, players }) {
  return placing.map(({ place, seat }) => ({ ...players[seat], place }));
}

/** Return in words how a player gave a seat up, empty if the player stayed. @param {Player["end"]} end */
export function endText({ type, round }) {
  return type === "played" ? "" : t(`end.${type}`, { round: round ?? 0 });
}

/** Return the points of a page before the points of an event are counted. @param {Scored} event */
export function uncounted(event) {
  return { round: event.type === "round_scored" ? event.round : null, points: pointsBefore(event) };
}

/** Return the points of each seat before an event. @param {Scored} event @returns {Map<number, number>} */
function pointsBefore(event) {
  if (event.type === "game_finished")
    return new Map(
      event.result.players.map((player) => [player.seat, player.score - player.scroll_points - player.gold_points]),
    );
  return new Map(
    event.players.map(({ seat, score, scoring_tiles }) => [
      seat,
      score - scoring_tiles.reduce((sum, { points }) => sum + points, 0),
    ]),
  );
}

/**
 * @typedef {object} Shown What the cards show.
 * @property {import("../state/api.js").Game} view
 * @property {readonly import("../state/api.js").Event[]} log
 * @property {Player[]} players
 * @property {number | null} seat
 * @property {import("../state/store.js").Store["counted"]} [counted]
 */
/**
 * @typedef {{shown: number, counted: number | null}} Focus The seat whose territory is shown, and the one whose points are being counted.
 */

/**
 * Create the bar of the players: a card for each, with what is public about the player, and a small map on demand.
 *
 * @param {Shown} store
 * @param {(seat: number) => void} choose Shows the territory of a seat.
 * @param {() => Focus} focus
 * @param {((seat: number) => void) | null} [explain] Shows what earned the points of a seat.
 */
export function seatCards(store, choose, focus, explain = null) {
  const cards = h("div", { class: "seats" });
  const clocks = /** @type {Map<number, () => void>} */ (new Map());
  let isLive = false;
  /** The card of each seat, and its points. @type {Map<number, {box: HTMLElement, score: HTMLElement}>} */
  const boxes = new Map();
  const root = h(
    "section",
    { class: "players", "aria-label": t("tab.seats"), tabindex: 0 },
    h("h2", { class: "sr-only" }, t("tab.seats")),
    cards,
  );
  hintScroll(root, cards);

  /** @param {Player} player */
  function card({ seat }) {
    const name = h("h3", {});
    const state = h("div", { class: "seat-state" });
    const notes = h("div", { class: "seat-notes" });
    const left = h("span", { class: "clock", role: "timer", "aria-live": "off" });
    const score = explain
      ? button("", () => explain(seat), { class: "score", "data-act": "points" })
      : h("div", { class: "score" });
    const mini = h("div", { class: "mini", "aria-hidden": "true", dir: "ltr", onclick: () => choose(seat) });
    const map = h("details", { class: "seat-map" }, h("summary", {}, t("seat.map")), mini);
    const lookText = h("span", { class: "sr-only" });
    const look = button(lookText, () => choose(seat), { class: "look" });
    const front = h(
      "div",
      { class: "seat-front" },
      h("div", { class: "seat-head" }, name, left, score),
      state,
      notes,
      look,
    );
    const box = h("article", { class: "seat", "data-seat": seat }, front, map);
    boxes.set(seat, { box, score });
    const changed = whenChanged();
    const mapChanged = whenChanged();
    let latest = /** @type {Player | null} */ (null);
    let over = false;
    clocks.set(seat, drawClock);
    const openOnPhones = () => {
      map.open = Boolean(NARROW.matches) || over; // the strip of a phone has the maps in its chips
    };
    openOnPhones();
    NARROW.addEventListener?.("change", openOnPhones);
    map.addEventListener("toggle", () => {
      if (latest) drawMap(latest);
    });
    return {
      root: box,
      update(/** @type {Player} */ player) {
        latest = player;
        if (store.view.result && !store.counted && !over) {
          map.open = true;
          over = true;
        } // the territories side by side
        const shown = summaryOf(store, player, focus());
        changed(shown, () => draw(player, shown));
        drawMap(player);
        drawClock();
      },
    };

    /** @param {Player} player @param {ReturnType<typeof summaryOf>} shown */
    function draw(player, shown) {
      name.replaceChildren(
        colorMark(player.color),
        h("bdi", {}, player.name),
        shown.mine ? h("span", { class: "badge" }, t("seat.you")) : "",
      );
      setText(score, number(shown.points));
      score.dataset.unit = t("points.unit"); // a sign beside the number, which the label says in words
      hide(score, store.view.status === "lobby");
      attribute(
        score,
        "aria-label",
        t("seat.score", { count: shown.points }) + (explain ? `, ${t("points.show")}` : ""),
      );
      for (const key of /** @type {const} */ (["mine", "acting", "counted", "looked"]))
        box.classList.toggle(key, shown[key]);
      setText(state, shown.state);
      notes.replaceChildren(
        ...(shown.gold === null ? [] : [coin(shown.gold)]),
        ...(shown.rated ? ratedBadges(shown.rated) : []),
        ...(shown.mine ? [h("span", { class: "badge own-seat", "aria-hidden": "true" }, t("seat.you"))] : []),
        ...shown.badges.map(badge),
      );
      setText(lookText, shown.looked ? t("seat.shown") : t("seat.look", { name: player.name }));
      attribute(look, "aria-pressed", String(shown.looked));
    }

    /** Show what the seat has left: while its clock runs, at this moment. */
    function drawClock() {
      const clock = latest && store.view.status === "playing" && !isServers(latest) ? latest.clock : null;
      hide(left, !clock);
      if (!clock) return;
      const ms = clock.runs_out_at && isLive ? remainingMs(clock.runs_out_at) : clock.remaining_ms;
      setText(left, formatDuration(ms));
      attribute(left, "aria-label", t("seat.clock", { time: formatDuration(ms) }));
      left.classList.toggle("soon", clock.runs_out_at !== null && ms < LAST_SECONDS_MS);
    }

    /** @param {Player} player */
    function drawMap(player) {
      if (map.open)
        mapChanged(player.territory, () => {
          const { rows, columns } = boundsOf(player.territory);
          mini.style.setProperty("--rows", String(rows));
          mini.style.setProperty("--columns", String(columns));
          keyed(
            mini,
            miniTiles(player),
            ({ key }) => key,
            (tile) => miniTile(store.view.ruleset, tile),
          );
        });
    }
  }

  return {
    root,
    update() {
      keyed(cards, inOrder(store), ({ seat }) => seat, card);
    },
    /** Show what the clocks that run have left now. */
    tick() {
      isLive = true;
      for (const draw of clocks.values()) draw();
    },
    /** @param {number} seat */
    cardOf: (seat) => boxes.get(seat)?.box ?? null,
    /** @param {number} seat */
    scoreOf: (seat) => boxes.get(seat)?.score ?? null,
  };
}

/** Return whether a bot of the server plays a seat: its clock stands. @param {Player} player */
function isServers({ bot }) {
  return bot !== null && bot !== "url";
}

/**
 * Return the players with ours first; after the end, when all points are counted, by rank.
 *
 * @param {Shown} store
 */
function inOrder({ players, view, seat, counted }) {
  if (view.result && !counted) return ranked(view.result).map((rank) => players[rank.seat]);
  return [...players].sort((a, b) => Number(b.seat === seat) - Number(a.seat === seat) || a.seat - b.seat);
}

/**
 * Return what a card shows of a player.
 *
 * @param {Shown} store
 * @param {Player} player
 * @param {Focus} focus
 */
function summaryOf(store, player, focus) {
  const { view } = store;
  const playing = view.status === "playing";
  const isOpen = playing && !store.counted; // the next phase begins once all points are counted
  const acting = isOpen && view.waiting_for.includes(player.seat);
  const state = acting
    ? t(`acting.${view.phase}`)
    : isOpen && view.phase === "pricing" && player.offer_set
      ? t("seat.set")
      : isOpen && view.phase === "building" && player.building_finished
        ? t("seat.built")
        : "";
  const away = playing ? awayText(player, store.log) : "";
  const { missed_deadlines: missed } = player.end;
  const hand = player.tiles_to_build.length;
  const badges = [
    away,
    hand > 0 && [t("seat.hand", { count: hand }), `▦ ${number(hand)}`],
    playing && player.seat === view.starting_seat && [t("seat.starts"), t("seat.starts_short")],
    player.bot && [t("seat.bot", { bot: botName(player.bot) }), t("seat.bot_short")],
    !away && endText(player.end),
    playing && missed > 0 && t("seat.missed", { count: missed }),
  ];
  return {
    name: player.name,
    color: player.color,
    state,
    gold: player.seat !== store.seat && view.status !== "lobby" ? player.gold : null,
    badges: badges.filter(Boolean).map((badge) => [badge].flat()),
    rated: view.rated?.players[player.seat] ?? null,
    acting,
    status: view.status,
    points: shownScore(store, player),
    mine: player.seat === store.seat,
    looked: focus.shown === player.seat,
    counted: focus.counted === player.seat,
  };
}

/** Create a note on a card, with the sign that a narrow card has instead. @param {any[]} texts */
function badge([text, sign]) {
  return h(
    "span",
    { class: "badge", title: sign ? text : null },
    h("span", { class: sign ? "sr-narrow" : "" }, text),
    sign ? h("span", { class: "sign-only", "aria-hidden": "true" }, sign) : "",
  );
}

/** @param {Player} player */
function miniTiles({ territory }) {
  const { left, top } = boundsOf(territory);
  return territory.map((tile) => ({
    ...tile,
    key: `${tile.tile}.${tile.rotation}`,
    column: tile.x - left + 1,
    row: tile.y - top + 1,
  }));
}

/** @param {string} ruleset @param {ReturnType<typeof miniTiles>[number]} tile */
function miniTile(ruleset, { tile, rotation }) {
  const root = h("img", { src: tilePicture(ruleset, tile, rotation), alt: "" });
  return {
    root,
    update: (/** @type {ReturnType<typeof miniTiles>[number]} */ { column, row }) => {
      root.style.gridColumn = String(column);
      root.style.gridRow = String(row);
    },
  };
}
