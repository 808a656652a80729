import { namesOf } from "./away.js";
import { formatDuration, remainingMs } from "../state/clock.js";
import { alertNow, h, hide, setText } from "../shared/dom.js";
import { gameName } from "../shared/game-name.js";
import { list, number, t } from "../shared/i18n.js";
import { scoringRow } from "./scoring-row.js";
import { soundSwitch } from "./setting-box.js";
import { ownWorth } from "./worth.js";

/** @typedef {import("../state/store.js").Store} Store */

const LAST_SECONDS_MS = 10_000;
const SYNC_MS = 2000;

/**
 * Create the header of a game: round, turn, the scoring tiles, time left, connection and menu.
 *
 * @param {Store} store
 * @param {HTMLElement} menu
 * @param {() => void} explain Shows the scoring tiles with their texts.
 */
export function gameHeader(store, menu, explain) {
  const [round, turn, clock, connected] = ["round", "turn", "clock", "connection-text"].map((name) =>
    h("span", { class: name }),
  );
  const title = h("h1", { class: "sr-only" });
  const connection = h("span", {}, h("span", { class: "connection-sign", "aria-hidden": "true" }), connected);
  const worth = ownWorth(store, () => scored.update());
  const scored = scoringRow(store, explain, worth);
  const root = h(
    "header",
    { class: "head" },
    homeLink(),
    title,
    round,
    turn,
    scored.root,
    clock,
    connection,
    soundSwitch(),
    menu,
  );
  const ticking = setInterval(tick, 250);
  let warned = "";
  let synced = 0;

  function update() {
    const { view } = store;
    const name = gameName(view.name);
    const [shown, rounds] = [store.counted?.round ?? view.round, view.round_count];
    const played = rounds ? t("round.of", { round: shown, rounds }) : name;
    setText(round, view.rated && rounds ? `${played} · ${t("rated.sign")}` : played);
    setText(title, name);
    setText(turn, store.counted ? t("round.counting") : turnText(store));
    worth.update();
    scored.update();
    const state =
      navigator.onLine || view.status === "finished" || view.status === "aborted" ? store.connection : "no_network";
    setText(connected, t(`connection.${state}`));
    connection.className = `connection ${state}`;
    tick();
  }

  function tick() {
    const { view } = store;
    const deadline = view && (store.me?.deadline ?? view.deadline); // there is no view while the game is loaded
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

  return {
    root,
    update,
    close() {
      clearInterval(ticking);
      worth.close();
    },
  };
}

/** Create the link to all games. */
export function homeLink() {
  return h("a", { class: "home", href: "/play/" }, "Skye", h("span", { class: "sr-only" }, `: ${t("page.all_games")}`));
}

/** Return in words whose turn it is. @param {Store} store */
export function turnText({ myTurn, view }) {
  if (view.status !== "playing") return t(`status.${view.status}`);
  if (view.pause) return t("status.paused");
  if (myTurn) return t(`turn.mine.${view.phase}`);
  const names = list(namesOf(view, view.waiting_for));
  return view.phase ? t(`turn.others.${view.phase}`, { count: view.waiting_for.length, names }) : "";
}
