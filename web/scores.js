import { button, h, hide, keyed, setText } from "./dom.js";
import { list, number, signed, t } from "./i18n.js";
import { calm } from "./motion.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./api.js").Game} Game */
/** @typedef {Extract<import("./api.js").Event, {type: "round_scored"}>} RoundScored */

const STEP_MS = 400;
const LONGEST_MS = 8000;

/**
 * The four scoring tiles, and the rounds in which they count.
 *
 * @param {{view: Game}} store
 */
export function scoringPanel(store) {
  const items = h("ol", { class: "slots" });
  const bag = h("p", { class: "faint" });
  const root = h("section", { class: "panel", "aria-label": t("tab.scoring") }, h("h2", {}, t("tab.scoring")), items, bag);

  /** @param {Game["scoring_tiles"][number]} tile */
  function item({ slot, id }) {
    const rounds = h("div", { class: "faint" });
    const box = h("li", { "data-slot": slot }, h("span", { class: "slot" }, slot), h("div", {},
      h("strong", {}, t(`scoring.${id}.title`)), h("div", {}, t(`scoring.${id}.text`)), rounds));
    return { root: box, show: (/** @type {Game["scoring_tiles"][number]} */ shown) => {
      const now = store.view.status === "playing" && shown.rounds.includes(store.view.round);
      box.classList.toggle("now", now);
      setText(rounds, t("scoring.rounds", { rounds: shown.rounds.map(number).join(" · ") }));
    } };
  }

  return { root, show() {
    keyed(items, store.view.scoring_tiles, ({ slot, id }) => slot + id, item);
    setText(bag, t("scoring.bag", { count: store.view.bag.count }));
  } };
}

/**
 * The points of a round, counted up slot by slot. It covers nothing: the next round is already open.
 *
 * @param {Store} store
 * @param {(tiles: string[], seat: number | null) => void} light Highlights tiles of a territory.
 */
export function roundStrip(store, light) {
  const title = h("h2", {});
  const rows = h("div", { class: "strip-rows" });
  const skip = button(t("round.skip"), () => end(), { class: "small", "data-act": "skip" });
  const root = h("section", { class: "strip panel", hidden: true, "aria-label": t("round.title_short") },
    h("div", { class: "bar" }, title, skip), rows);
  let timer = 0;

  function end() {
    clearInterval(timer);
    hide(root, true);
    light([], null);
  }

  /** @param {RoundScored} event */
  async function start(event) {
    clearInterval(timer);
    const round = /** @type {any} */ (event).round ?? store.view.round;
    setText(title, t("round.title", { round }));
    const slots = (event.players[0]?.scoring_tiles ?? []).map(({ slot }) => slot);
    const steps = slots.flatMap((slot) => event.players.map(({ seat }) => ({ slot, seat })));
    rows.replaceChildren(...event.players.map((player) => stripRow(store, player)));
    hide(root, false);
    const awards = await awarded(store, round).catch(() => new Map());
    let index = 0;
    const wait = calm() ? 0 : Math.min(STEP_MS, LONGEST_MS / Math.max(1, steps.length));
    if (!wait) { reveal(rows, steps); timer = setTimeout(end, LONGEST_MS); return; }
    timer = setInterval(() => {
      const step = steps[index++];
      if (!step) { clearInterval(timer); timer = setTimeout(end, LONGEST_MS / 2); return; }
      reveal(rows, [step]);
      light(awards.get(`${step.seat}.${step.slot}`) ?? [], step.seat);
    }, wait);
  }

  store.onEvent((event) => { if (event.type === "round_scored" && event.id > store.view.last_event - 40) void start(event); });
  return { root, end, get running() { return !root.hidden; } };
}

/**
 * @param {Store} store
 * @param {RoundScored["players"][number]} player
 */
function stripRow(store, { seat, scoring_tiles, score }) {
  const cells = scoring_tiles.map(({ slot, id, points }) => (
    h("span", { class: "points", "data-key": `${seat}.${slot}`, title: t(`scoring.${id}.title`) }, `${slot} ${signed(points)}`)));
  return h("div", { class: "strip-row" }, h("bdi", {}, store.view.players[seat]?.name ?? ""), ...cells, h("strong", {}, number(score)));
}

/**
 * @param {Element} rows
 * @param {{slot: string, seat: number}[]} steps
 */
function reveal(rows, steps) {
  for (const { seat, slot } of steps) rows.querySelector(`[data-key="${seat}.${slot}"]`)?.classList.add("told");
}

/**
 * Which tiles earned the points of a round, by seat and slot.
 *
 * @param {Store} store
 * @param {number} round
 * @returns {Promise<Map<string, string[]>>}
 */
async function awarded(store, round) {
  const scores = await store.game.scores();
  const of = /** @type {Map<string, string[]>} */ (new Map());
  for (const { seat, rounds } of scores.players) {
    for (const { slot, awards } of rounds.find((one) => one.round === round)?.scoring_tiles ?? []) {
      of.set(`${seat}.${slot}`, awards.flatMap(({ tiles }) => tiles));
    }
  }
  return of;
}

/**
 * How the game has ended.
 *
 * @param {{view: Game}} store
 * @param {...Node} more Buttons below the table.
 */
export function resultPanel(store, ...more) {
  const title = h("h2", { tabindex: -1 });
  const table = h("table", {});
  const root = h("section", { class: "result panel", hidden: true, "aria-label": t("result.title") },
    title, h("div", { class: "scroll-x", tabindex: 0, role: "group", "aria-label": t("result.title") }, table), h("div", { class: "bar" }, ...more));
  return { root, show() {
    const { view } = store;
    hide(root, view.result === null && view.status !== "aborted");
    if (!view.result) { if (view.status === "aborted") setText(title, t("result.aborted")); return; }
    const { winners, players } = view.result;
    setText(title, t("result.winners", { count: winners.length, names: list(winners.map((seat) => view.players[seat].name)) }));
    const head = h("tr", {}, h("th", { scope: "col" }, t("result.player")), ...view.scoring_tiles.map(({ id }) => h("th", { scope: "col" }, t(`scoring.${id}.title`))),
      h("th", { scope: "col" }, t("gains.scrolls")), h("th", { scope: "col" }, t("result.gold")), h("th", { scope: "col" }, t("result.total")));
    table.replaceChildren(head, ...players.map((player) => h("tr", { class: winners.includes(player.seat) ? "won" : "" },
      h("th", { scope: "row" }, h("bdi", {}, view.players[player.seat].name)),
      ...player.scoring_tiles.map(({ points }) => h("td", {}, number(points))),
      h("td", {}, number(player.scroll_points)), h("td", {}, number(player.gold_points)), h("td", { class: "total" }, number(player.score)))));
  } };
}
