import { button, h, hide, setText } from "../shared/dom.js";
import { number, signed, t } from "../shared/i18n.js";
import { countsUp } from "../shared/motion.js";
import { scoringTitle } from "../shared/rulesets.js";
import { stepText } from "./step-text.js";
import { uncounted, winnersText } from "./seats.js";

/** @typedef {import("../state/store.js").Store} Store */
/** @typedef {import("../../clients/typescript/src/resources.js").Result<"get_scores">["players"][number]} SeatScores */
/** @typedef {Extract<import("../state/api.js").Event, {type: "round_scored"}>} RoundScored */
/** @typedef {Extract<import("../state/api.js").Event, {type: "game_finished"}>} GameFinished */
/**
 * @typedef {{seat: number, text: string, title: string, points: number | null, tiles: string[]}} Step Something that earned points.
 */

const STEP_MS = 400;
const SEAT_MS = 1200;
const MAX_MS = 8000;
/** How long the totals of a round stay visible; `MAX_MS` includes this. */
const TOTALS_MS = 2000;
const WINNERS_MS = 1500;

/**
 * Create the strip that counts up points step by step: those of a round, and those at the end of the game. It covers
 * the tray, where the next round is already open; Continue ends it. Points that are not counted up lie above the tray.
 *
 * @param {Store} store
 * @param {(tiles: string[], seat: number | null, step?: Step) => void} highlight Shows the territory of a seat, and highlights its tiles.
 * @param {() => void} ended Called when all points are counted.
 */
export function countingStrip(store, highlight, ended) {
  const title = h("h2", {});
  const rows = h("div", { class: "strip-rows" });
  const skip = button(t("round.skip"), () => end(), { class: "primary", "data-act": "skip" });
  const head = h("div", { class: "strip-row" }, title, h("span", { class: "strip-total" }, t("result.total")));
  const root = h(
    "section",
    { class: "strip", hidden: true, "aria-label": t("round.title_short") },
    rows,
    h("div", { class: "bar" }, skip),
  );
  let timer = 0;
  let counted = Promise.resolve(); // the last round is counted before the end
  /** The counts that follow the current one. @type {(() => void)[]} */
  let queue = [];

  function end() {
    clearTimeout(timer);
    queue = [];
    hide(root, true);
    store.set({ counted: null });
    highlight([], null);
    ended();
  }

  function next() {
    const count = queue.shift();
    if (count) count();
    else end();
  }

  /**
   * Show these steps one by one, each player for a while, then the totals, for at most eight seconds in all. With reduced
   * motion, and for players who want no counting, show all at once, and leave the tray free.
   *
   * @param {string} text
   * @param {ReturnType<typeof uncounted>} before The round, and the points of each seat before.
   * @param {Step[]} steps
   */
  function count(text, before, steps) {
    const isAtOnce = !countsUp();
    setText(title, text);
    hide(root, false);
    root.classList.toggle("above", isAtOnce);
    const totals = new Map(before.points);
    if (!isAtOnce) store.set({ counted: { ...before, points: totals } });
    const lines = new Map([...totals.keys()].map((seat) => [seat, stripRow(store, seat)]));
    rows.replaceChildren(head, ...[...lines.values()].map((line) => line.root));
    const show = (/** @type {number} */ seat, /** @type {Step[]} */ ...added) => {
      const total = totals.get(seat) ?? 0;
      lines.get(seat)?.show(total - (before.points.get(seat) ?? 0), total, ...added);
    };
    const add = (/** @type {Step} */ step) => {
      totals.set(step.seat, (totals.get(step.seat) ?? 0) + (step.points ?? 0));
      show(step.seat, step);
      store.changed();
    };
    for (const seat of totals.keys()) show(seat);
    const ofSeat = (/** @type {number} */ seat) => steps.filter((step) => step.seat === seat).length;
    const most = (MAX_MS - TOTALS_MS) / Math.max(1, new Set(steps.map(({ seat }) => seat)).size);
    const waitFor = (/** @type {number} */ seat) =>
      Math.min(most, Math.max(SEAT_MS, STEP_MS * ofSeat(seat))) / ofSeat(seat);
    let index = 0;
    const advance = () => {
      const step = steps[index++];
      if (!step) {
        timer = setTimeout(next, TOTALS_MS);
        return;
      }
      add(step);
      if (isAtOnce) return advance();
      for (const [seat, line] of lines) line.current(seat === step.seat);
      highlight(step.tiles, step.seat, step);
      timer = setTimeout(advance, waitFor(step.seat));
    };
    advance();
  }

  /** @param {RoundScored} event */
  async function countRound(event) {
    const scores = await seatScores(store);
    start(() => count(t("round.title", { round: event.round }), uncounted(event), roundSteps(event, scores)));
  }

  /** @param {GameFinished} event */
  async function countEnd(event) {
    const scores = await seatScores(store);
    queue.push(() => count(t("result.title"), uncounted(event), finalSteps(event, scores)));
    queue.push(() => {
      setText(title, winnersText(event.result.winners, store.view));
      timer = setTimeout(next, WINNERS_MS);
    });
    if (root.hidden) next();
  }

  /** Start a count, and cancel the current one. @param {() => void} begin */
  function start(begin) {
    clearTimeout(timer);
    queue = [begin];
    next();
  }

  return {
    root,
    update() {},
    end,
    get running() {
      return !root.hidden;
    },
    count(/** @type {RoundScored | GameFinished} */ event) {
      counted = counted.then(() => (event.type === "round_scored" ? countRound(event) : countEnd(event)));
    },
  };
}

/** @param {Store} store @param {number} seat */
function stripRow(store, seat) {
  const points = h("span", { class: "strip-points" });
  const gained = h("span", { class: "strip-gain" });
  const total = h("strong", { class: "strip-total" });
  const name = h("bdi", {}, store.view.players[seat]?.name ?? "");
  const root = h("div", { class: "strip-row" }, name, points, gained, total);
  const current = (/** @type {boolean} */ now) => {
    root.classList.toggle("counted", now);
  };
  return {
    root,
    current,
    /** Show what the seat has gained, its points, and what has just earned some. */
    show(/** @type {number} */ gain, /** @type {number} */ sum, /** @type {Step[]} */ ...steps) {
      const text = (/** @type {Step} */ step) => stepText({ ...step, text: step.title || step.text });
      points.append(...steps.flatMap((step) => [h("span", { class: "points" }, text(step)), " "]));
      setText(gained, signed(gain));
      setText(total, number(sum));
    },
  };
}

/** @param {Store} store @returns {Promise<SeatScores[]>} Empty after an error; then no tiles are highlighted. */
async function seatScores(store) {
  return store.game.scores().then(
    ({ players }) => players,
    () => [],
  );
}

/**
 * Return the points of a round, player by player.
 *
 * @param {RoundScored} event
 * @param {SeatScores[]} scores
 * @returns {Step[]}
 */
function roundSteps(event, scores) {
  const slots = (event.players[0]?.scoring_tiles ?? []).map(({ slot }) => slot);
  return event.players.flatMap(({ seat, scoring_tiles }) =>
    slots.map((slot) => {
      const scored = scoring_tiles.find((one) => one.slot === slot);
      const round = scores.find((one) => one.seat === seat)?.rounds.find((one) => one.round === event.round);
      const awards = round?.scoring_tiles.find((one) => one.slot === slot)?.awards ?? [];
      return {
        seat,
        text: slot,
        title: scoringTitle(scored?.scoring_tile ?? ""),
        points: scored?.points ?? 0,
        tiles: awards.flatMap(({ tiles }) => tiles),
      };
    }),
  );
}

/**
 * Return the points at the end: for each player the scrolls, then gold, then the gold that breaks a tie.
 *
 * @param {GameFinished} event
 * @param {SeatScores[]} scores
 * @returns {Step[]}
 */
function finalSteps(event, scores) {
  const scrolls = scores.flatMap(({ seat, final }) =>
    (final?.scrolls ?? []).map(({ tile, points }) => ({
      seat,
      text: `${t("gains.scroll")} ${tile}`,
      title: "",
      points,
      tiles: [tile],
    })),
  );
  const gold = event.result.players.map(({ seat, gold_points }) => ({
    seat,
    text: t("result.gold"),
    title: "",
    points: gold_points,
    tiles: [],
  }));
  const most = Math.max(...event.result.players.map(({ score }) => score));
  const tied = event.result.players.filter(({ score }) => score === most);
  const breaking =
    tied.length < 2
      ? []
      : tied.map(({ seat }) => {
          const left = scores.find((one) => one.seat === seat)?.final.leftover_gold ?? 0;
          return { seat, text: t("result.leftover", { count: left }), title: "", points: null, tiles: [] };
        });
  return [...scrolls, ...gold, ...breaking].sort((a, b) => a.seat - b.seat);
}
