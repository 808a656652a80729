import { formatDuration, remainingMs } from "../state/clock.js";
import { alertNow, h, hide, setText } from "../shared/dom.js";
import { list, number, t } from "../shared/i18n.js";
import { scoringTitle } from "../shared/rulesets.js";
import { shownScore } from "./seats.js";

/** @typedef {import("../state/store.js").Store} Store */

const LAST_SECONDS_MS = 10_000;
const SYNC_MS = 2000;

/**
 * Create the header of a game: round, turn, time left, what this round scores, our gold and score, connection and menu.
 *
 * @param {Store} store
 * @param {HTMLElement} menu
 */
export function gameHeader(store, menu) {
  const [round, turn, clock, now, gold, points, connection] = ["round", "turn", "clock", "now-scored", "gold", "points", "connection"].map((name) => h("span", { class: name }));
  const title = h("h1", { class: "sr-only" });
  const own = h("span", { class: "own" }, gold, " ", points);
  const root = h("header", { class: "head" },
    homeLink(), title, round, turn, clock, now, own, connection, menu);
  const ticking = setInterval(tick, 250);
  let warned = "";
  let synced = 0;

  function show() {
    const { me, view } = store;
    setText(round, view.round_count ? t("round.of", { round: view.round, rounds: view.round_count }) : view.name);
    setText(title, view.name);
    setText(turn, turnText(store));
    hide(own, !me || view.status === "lobby");
    setText(gold, t("gold", { count: me?.gold ?? 0 }));
    setText(points, `· ${t("seat.score", { count: me ? shownScore(store, me) : 0 })}`);
    const counted = view.scoring_tiles.filter(({ rounds }) => view.status === "playing" && rounds.includes(view.round));
    setText(now, counted.map(({ slot, scoring_tile: id }) => `${slot} ${scoringTitle(id)}`).join(" · "));
    const state = navigator.onLine || view.status === "finished" || view.status === "aborted" ? store.connection : "no_network";
    setText(connection, t(`connection.${state}`));
    connection.className = `connection ${state}`;
    tick();
  }

  function tick() {
    const deadline = store.view?.deadline; // there is no view yet while the game is loaded
    hide(clock, !deadline);
    if (!deadline) return;
    const left = remainingMs(deadline);
    if (left === 0 && Date.now() - synced > SYNC_MS) {
      synced = Date.now();
      store.sync();
    }
    setText(clock, formatDuration(left));
    clock.classList.toggle("soon", left < LAST_SECONDS_MS);
    if (left < LAST_SECONDS_MS && store.myTurn && warned !== deadline) {
      warned = deadline;
      alertNow(t("status.seconds", { count: number(Math.ceil(left / 1000)) }));
    }
  }

  return { root, show, close: () => clearInterval(ticking) };
}

/** Create the link to all games. */
export function homeLink() {
  return h("a", { class: "home", href: "/play/" }, "Skye", h("span", { class: "sr-only" }, `: ${t("page.all_games")}`));
}

/** Return in words whose turn it is. @param {Store} store */
export function turnText({ myTurn, view }) {
  if (view.status !== "playing") return t(`status.${view.status}`);
  if (myTurn) return t(`turn.mine.${view.phase}`);
  const names = list(view.waiting_for.map((seat) => view.players[seat]?.name ?? ""));
  return view.phase ? t(`turn.others.${view.phase}`, { count: view.waiting_for.length, names }) : "";
}
