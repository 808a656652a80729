import { emptyView, fold } from "../../clients/typescript/src/fold.js";
import { loadTiles } from "../state/api.js";
import { territoryBoard } from "./board.js";
import { announce, attribute, button, h, hide, openDialogs, setText } from "../shared/dom.js";
import { forkDialog } from "./fork.js";
import { inWords, withCoins } from "../shared/coins.js";
import { gameName } from "../shared/game-name.js";
import { plain, t } from "../shared/i18n.js";
import { logPanel, story } from "./log.js";
import { market } from "./market.js";
import { languageChoice } from "../home/language-choice.js";
import { revealedView, secretsOf } from "./open-eyes.js";
import { paneTabs, sidePanes } from "./panes.js";
import { homeLink } from "./header.js";
import { gameUrl } from "../shared/urls.js";
import { loadRuleset } from "../shared/rulesets.js";
import { placedLast } from "./placed-last.js";
import { resultPanel } from "./result.js";
import { scoringPanel } from "./scores.js";
import { scoringRow } from "./scoring-row.js";
import { seatCards } from "./seats.js";
import { toastError } from "../shared/toast.js";
import { loadGame } from "../home/my-games.js";

/** @typedef {import("../state/api.js").Game} Game */
/** @typedef {import("../state/api.js").Event} Event */

const STEP_MS = 900;
/** The delay before the URL is changed: that takes longer than a step, and browsers limit its rate. */
const URL_DELAY_MS = 250;
/** A view is kept after each so many events: a seek folds no more than these. */
const KEEP_EVERY = 16;
const SPEEDS = [0.5, 1, 2, 4];

/** Show a game step by step. `#e=` in the URL is the number of the event. @param {Element} app @param {string} id */
export async function openReplay(app, id) {
  const { game, view } = await loadGame(id);
  const [tiles] = await Promise.all([loadTiles(view.ruleset), loadRuleset(view.ruleset)]);
  /** @type {Event[]} */
  const events = [];
  while ((events.at(-1)?.id ?? 0) < view.last_event) {
    const page = await game.eventPage({ after: events.at(-1)?.id ?? 0 });
    if (!page.events.length) break;
    events.push(.../** @type {Event[]} */ (page.events));
  }
  const over = view.status === "finished";
  const record = over ? await game.record() : null;
  const replay = replayPage(
    view,
    events,
    tiles.map((tile) => tile.id),
    record,
  );
  app.replaceChildren(replay.root);
  replay.see(new URLSearchParams(location.hash.slice(1)).get("eyes"));
  replay.seekEvent(Number(new URLSearchParams(location.hash.slice(1)).get("e") ?? events.length));
  window.addEventListener("hashchange", ({ newURL }) => {
    const event = Number(new URLSearchParams(new URL(newURL).hash.slice(1)).get("e"));
    if (event && event !== replay.event()) replay.seekEvent(event);
  });
  performance.measure("skye-ready");
}

/**
 * Create the page of a replay, in steps of one version each.
 *
 * @param {Game} last
 * @param {Event[]} events
 * @param {string[]} tiles
 * @param {import("./fork.js").Record | null} record The record of the game, once it is over.
 */
function replayPage(last, events, tiles, record) {
  /** What was hidden, once the game is over. */
  const secrets = record && secretsOf(events, record);
  /** How many events each step has folded. */
  const steps = events.flatMap((event, index) => (events[index + 1]?.version === event.version ? [] : [index + 1]));
  /** The views after every `KEEP_EVERY` events, as JSON; undefined while unknown. @type {string[]} */
  const kept = [];
  /** What the page shows: a step in words, with the eyes of a seat, the territory of a seat; and whether it goes on by itself. */
  const state = { step: 0, said: "", eyes: "spectator", looked: 0, playing: false };
  /** The timer of the next step, and that of the change of the URL. */
  let [stepTimer, urlTimer] = [0, 0];
  /** The state of the game at that step, with the properties of a spectator's store. */
  const store = /** @type {any} */ ({
    id: last.id,
    view: last,
    log: [],
    seat: null,
    me: null,
    players: [],
    actions: [],
    myTurn: false,
    busy: false,
    pending: null,
    onEvent() {},
  });

  const caption = h("p", { class: "caption" });
  const head = h("span", { class: "turn" });
  const slider = h("input", {
    type: "range",
    min: 0,
    max: steps.length - 1,
    class: "scrub",
    "aria-label": t("replay.position"),
    oninput: () => seek(Number(slider.value), false),
    onchange: pause,
  });
  const speed = h(
    "select",
    { "aria-label": t("replay.speed") },
    ...SPEEDS.map((factor) => h("option", { value: factor, selected: factor === 1 }, `${factor}×`)),
  );
  const sign = h("span", { class: "play-sign" }); // drawn: few fonts have them
  const play = button(sign, toggle, { class: "small", title: t("replay.play"), "data-act": "play" });
  const eyes = h(
    "select",
    {
      "data-act": "eyes",
      onchange: () => {
        state.eyes = eyes.value;
        update();
        pause(); // the URL names the eyes too
      },
    },
    h("option", { value: "spectator" }, t("replay.spectator")),
    ...last.players.map(({ name, seat }) => h("option", { value: seat }, name)),
    h("option", { value: "open" }, t("replay.open")),
  );
  const forking = button(t("replay.fork"), () => void fork().catch(toastError), {
    "data-act": "fork",
    hidden: !secrets,
  });

  const board = territoryBoard(null, () => last.ruleset);
  const offers = market(store);
  const seats = seatCards(store, look, () => ({ shown: state.looked, counted: null }));
  const scoring = scoringPanel(store);
  const scored = scoringRow(store, () => tabs.open("scoring"));
  const log = logPanel(store);
  const result = resultPanel(store, null);

  const control = (/** @type {string} */ label, /** @type {string} */ name, /** @type {() => void} */ act) =>
    button(label, act, {
      class: "small",
      "aria-label": t(`replay.${name}`),
      title: t(`replay.${name}`),
      "data-act": name,
    });
  const bar = h(
    "section",
    { class: "tray-part scrubber", "aria-label": t("replay.title") },
    caption,
    slider,
    h(
      "div",
      { class: "bar" },
      control("|‹", "first", () => seek(0)),
      control("«", "round_back", () => seekRound(-1)),
      control("‹", "back", () => seek(state.step - 1)),
      play,
      control("›", "forward", () => seek(state.step + 1)),
      control("»", "round_forward", () => seekRound(1)),
      control("›|", "last", () => seek(steps.length - 1)),
      speed,
      h("label", { class: "eyes", hidden: !secrets }, t("replay.eyes"), eyes),
      forking,
    ),
  );
  const header = h(
    "header",
    { class: "head" },
    homeLink(),
    h("h1", { class: "round" }, t("replay.title")),
    head,
    scored.root,
    h("a", { href: gameUrl(last.id) }, t("replay.live")),
    languageChoice(),
  );
  const tray = h("div", { class: "tray" }, h("div", { class: "tray-parts" }, bar, offers.root, result.root));
  const left = h("div", { class: "left" }, seats.root);
  const main = h("main", {}, left, board.root, tray, sidePanes({ scoring, log }));
  const root = h("div", { class: "game-page replay" }, header, main);
  const tabs = paneTabs(root);
  root.append(tabs.root);
  document.addEventListener("keydown", pressed);

  async function fork() {
    if (record) await forkDialog(last, record, events.slice(0, steps[state.step]));
  }

  /** Return the number of the last event that is shown. */
  function event() {
    return events[steps[state.step] - 1]?.id ?? 0;
  }

  /** @param {number} seat */
  function look(seat) {
    state.looked = seat;
    update();
  }

  /** @param {number} wanted The number of an event. */
  function seekEvent(wanted) {
    const step = steps.findIndex((count) => (events[count - 1]?.id ?? 0) >= wanted);
    seek(step < 0 ? steps.length - 1 : step, false);
  }

  /**
   * @param {number} step
   * @param {boolean} [pausing] Whether to pause the playback and write the step into the URL.
   */
  function seek(step, pausing = true) {
    state.step = Math.max(0, Math.min(steps.length - 1, step));
    update();
    if (pausing) pause();
  }

  /** Seek the start of the next round, or with a negative number of the previous one. @param {number} by */
  function seekRound(by) {
    const starts = steps.flatMap((count, step) =>
      events.slice(steps[step - 1] ?? 0, count).some(({ type }) => type === "round_started") ? [step] : [],
    );
    const target =
      by > 0
        ? (starts.find((step) => step > state.step) ?? steps.length - 1)
        : (starts.findLast((step) => step < state.step) ?? 0);
    seek(target);
  }

  function toggle() {
    if (state.playing) return pause();
    const next = () => {
      if (state.step >= steps.length - 1) return pause();
      seek(state.step + 1, false);
      stepTimer = setTimeout(next, STEP_MS / Number(speed.value));
    };
    stepTimer = setTimeout(next, 0);
    state.playing = true;
    updatePlay();
  }

  function pause() {
    clearTimeout(stepTimer);
    state.playing = false;
    updatePlay();
    clearTimeout(urlTimer);
    urlTimer = setTimeout(() => {
      history.replaceState(null, "", `${location.pathname}${location.search}#e=${event()}&eyes=${state.eyes}`);
      announce(state.said);
    }, URL_DELAY_MS);
  }

  function updatePlay() {
    sign.className = state.playing ? "pause-sign" : "play-sign";
    attribute(play, "aria-label", t(state.playing ? "replay.pause" : "replay.play"));
  }

  /** Return the view after the first events, folded from the nearest one that is kept. @param {number} count */
  function viewAfter(count) {
    const from = Math.floor(count / KEEP_EVERY);
    const nearest = kept.findLastIndex((stored, index) => stored !== undefined && index <= from);
    const view = /** @type {Game} */ (nearest < 0 ? emptyView(tiles, last.ruleset) : JSON.parse(kept[nearest]));
    for (let index = Math.max(0, nearest) * KEEP_EVERY; index < count; index++) {
      fold(view, events[index]);
      if ((index + 1) % KEEP_EVERY === 0) kept[(index + 1) / KEEP_EVERY] ??= JSON.stringify(view);
    }
    return view;
  }

  function update() {
    const started = performance.now();
    const past = events.slice(0, steps[state.step]);
    let view = viewAfter(past.length);
    if (secrets && state.eyes !== "spectator")
      view = revealedView(view, past, secrets, state.eyes === "open" ? null : Number(state.eyes));
    Object.assign(store, { view, log: past, players: view.players });
    const turning = /** @type {any} */ (
      past.findLast(({ type }) => type === "tile_placed" || type === "placement_taken_back")
    );
    if (turning && view.phase === "building" && past.at(-1)?.version === turning.version) state.looked = turning.seat;
    for (const panel of [seats, offers, scored, scoring, log, result]) panel.update();
    const player = view.players[state.looked];
    hide(board.root, !player);
    const moment = String(view.round);
    if (player)
      board.update({ player, mine: false, pending: null, moment, highlighted: [], fresh: placedLast(store.log) });
    updatePlay();
    updateCaption(view, past);
    Object.assign(root.dataset, { event: String(event()), status: view.status, phase: view.phase ?? "none" });
    performance.measure("skye-seek", { start: started });
  }

  /** @param {Game} view @param {Event[]} past */
  function updateCaption(view, past) {
    const version = past.at(-1)?.version;
    const what = past
      .filter((one) => one.version === version)
      .map((one) => story(one, view))
      .filter(Boolean)
      .join(". ");
    const round = roundOf(events.slice(0, steps[state.step - 1] ?? 0)); // the step's last events may begin the next round
    const text = round ? t("replay.step", { round, what }) : what || t("replay.start");
    caption.replaceChildren(...withCoins(text));
    state.said = plain(inWords(text));
    setText(head, gameName(view.name ?? ""));
    slider.value = String(state.step);
    attribute(slider, "aria-valuetext", state.said);
  }

  /** @param {KeyboardEvent} press */
  function pressed(press) {
    if (press.ctrlKey || press.metaKey || press.altKey || openDialogs.length) return;
    const { target } = press;
    if (
      target instanceof HTMLSelectElement ||
      target === slider ||
      (target instanceof Element && target.closest("[role=grid]"))
    ) {
      if (!["[", "]"].includes(press.key)) return;
    }
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => seek(state.step - 1),
      ArrowRight: () => seek(state.step + 1),
      "[": () => seekRound(-1),
      "]": () => seekRound(1),
      Home: () => seek(0),
      End: () => seek(steps.length - 1),
      " ": toggle,
    };
    if (!keys[press.key] || (press.key === " " && target instanceof HTMLButtonElement)) return;
    press.preventDefault();
    keys[press.key]();
  }

  /** Choose whose eyes see the game, as the URL names them. @param {string | null} wanted */
  function see(wanted) {
    if (!secrets || ![...eyes.options].some(({ value }) => value === wanted)) return;
    eyes.value = state.eyes = String(wanted);
  }

  return { root, event, seekEvent, see };
}

/** Return the number of the last round that has begun, 0 before the first one. @param {Event[]} events */
function roundOf(events) {
  const started = events.findLast(({ type }) => type === "round_started");
  return started?.type === "round_started" ? started.round : 0;
}
