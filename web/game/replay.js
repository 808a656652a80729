import { emptyView, fold } from "../../clients/typescript/src/fold.js";
import { loadTiles } from "../state/api.js";
import { territoryBoard } from "./board.js";
import { announce, attribute, button, h, hide, openDialogs, setText } from "../shared/dom.js";
import { forkDialog } from "./fork.js";
import { plain, t } from "../shared/i18n.js";
import { logPanel, story } from "./log.js";
import { market } from "./market.js";
import { languageChoice } from "../home/language-choice.js";
import { revealedView, secretsOf } from "./open-eyes.js";
import { paneTabs, sidePanes } from "./panes.js";
import { homeLink } from "./header.js";
import { gameUrl } from "../shared/urls.js";
import { loadRuleset } from "../shared/rulesets.js";
import { resultPanel } from "./result.js";
import { scoringPanel } from "./scores.js";
import { seatCards } from "./seats.js";
import { toastError } from "../shared/toast.js";
import { loadGame } from "../home/my-games.js";

/** @typedef {import("../state/api.js").Game} Game */
/** @typedef {import("../state/api.js").Event} Event */

const STEP_MS = 900;
/** The delay before the URL is changed: that takes longer than a step, and browsers limit its rate. */
const URL_DELAY_MS = 250;
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
  const replay = new Replay(
    view,
    events,
    tiles.map((tile) => tile.id),
    record,
  );
  app.replaceChildren(replay.root);
  replay.seekEvent(Number(new URLSearchParams(location.hash.slice(1)).get("e") ?? events.length));
  window.addEventListener("hashchange", ({ newURL }) => {
    const event = Number(new URLSearchParams(new URL(newURL).hash.slice(1)).get("e"));
    if (event && event !== replay.event) replay.seekEvent(event);
  });
  performance.measure("skye-ready");
}

/** The replay of one game, in steps of one version each. */
class Replay {
  #timer = 0;
  #urlTimer = 0;
  caption = h("p", { class: "caption" });
  head = h("span", { class: "turn" });
  slider = h("input", {
    type: "range",
    min: 0,
    class: "scrub",
    "aria-label": t("replay.position"),
    oninput: () => this.seek(Number(this.slider.value), false),
    onchange: () => this.#pause(),
  });
  speed = h(
    "select",
    { "aria-label": t("replay.speed") },
    ...SPEEDS.map((speed) => h("option", { value: speed, selected: speed === 1 }, `${speed}×`)),
  );
  play = button(h("span", {}), () => this.toggle(), { class: "small", title: t("replay.play"), "data-act": "play" });

  /**
   * @param {Game} last
   * @param {Event[]} events
   * @param {string[]} tiles
   * @param {import("./fork.js").Record | null} record The record of the game, once it is over.
   */
  constructor(last, events, tiles, record) {
    this.last = last;
    this.events = events;
    this.tiles = tiles;
    this.record = record;
    /** What was hidden, once the game is over. */
    this.secrets = record && secretsOf(events, record);
    /** How many events each step has folded. */
    this.steps = events.flatMap((event, index) => (events[index + 1]?.version === event.version ? [] : [index + 1]));
    this.step = 0;
    this.eyes = "spectator";
    this.looked = 0;
    /** The state that the panels update, with the properties of a spectator's store. */
    this.shown = /** @type {any} */ ({
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
    this.board = territoryBoard(null, () => last.ruleset);
    this.market = market(this.shown);
    this.seats = seatCards(
      this.shown,
      (seat) => {
        this.looked = seat;
        this.update();
      },
      () => ({ shown: this.looked, counted: null }),
    );
    this.panels = [
      this.seats,
      this.market,
      scoringPanel(this.shown),
      logPanel(this.shown),
      resultPanel(this.shown, null),
    ];
    this.root = this.#layOut();
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  #layOut() {
    const control = (/** @type {string} */ label, /** @type {string} */ name, /** @type {() => void} */ act) =>
      button(label, act, {
        class: "small",
        "aria-label": t(`replay.${name}`),
        title: t(`replay.${name}`),
        "data-act": name,
      });
    attribute(this.slider, "max", this.steps.length - 1);
    this.#showPlay(false);
    const eyes = h(
      "select",
      {
        "aria-label": t("replay.eyes"),
        "data-act": "eyes",
        onchange: () => {
          this.eyes = eyes.value;
          this.update();
        },
      },
      h("option", { value: "spectator" }, t("replay.spectator")),
      ...this.last.players.map(({ name, seat }) => h("option", { value: seat }, name)),
      h("option", { value: "open" }, t("replay.open")),
    );
    hide(eyes, !this.secrets);
    const fork = button(t("replay.fork"), () => void this.#fork().catch(toastError), { "data-act": "fork" });
    hide(fork, !this.secrets);
    const bar = h(
      "section",
      { class: "tray-part scrubber", "aria-label": t("replay.title") },
      this.caption,
      this.slider,
      h(
        "div",
        { class: "bar" },
        control("|‹", "first", () => this.seek(0)),
        control("«", "round_back", () => this.round(-1)),
        control("‹", "back", () => this.seek(this.step - 1)),
        this.play,
        control("›", "forward", () => this.seek(this.step + 1)),
        control("»", "round_forward", () => this.round(1)),
        control("›|", "last", () => this.seek(this.steps.length - 1)),
        this.speed,
        eyes,
        fork,
      ),
    );
    const header = h(
      "header",
      { class: "head" },
      homeLink(),
      h("h1", { class: "round" }, t("replay.title")),
      this.head,
      h("a", { href: gameUrl(this.last.id) }, t("replay.live")),
      languageChoice(),
    );
    const [seats, offers, scoring, log, result] = this.panels;
    const tray = h("div", { class: "tray" }, h("div", { class: "tray-parts" }, bar, offers.root, result.root));
    const main = h(
      "main",
      {},
      h("div", { class: "left" }, seats.root),
      this.board.root,
      tray,
      sidePanes({ scoring, log }),
    );
    const root = h("div", { class: "game-page replay" }, header, main);
    root.append(paneTabs(root).root);
    return root;
  }

  async #fork() {
    if (this.record) await forkDialog(this.last, this.record, this.events.slice(0, this.steps[this.step]));
  }

  /** The number of the last event that is shown. */
  get event() {
    return this.events[this.steps[this.step] - 1]?.id ?? 0;
  }

  /** @param {number} event */
  seekEvent(event) {
    const step = this.steps.findIndex((count) => (this.events[count - 1]?.id ?? 0) >= event);
    this.seek(step < 0 ? this.steps.length - 1 : step, false);
  }

  /**
   * @param {number} step
   * @param {boolean} [pause] Whether to pause the playback and write the step into the URL.
   */
  seek(step, pause = true) {
    this.step = Math.max(0, Math.min(this.steps.length - 1, step));
    this.update();
    if (pause) this.#pause();
  }

  /** Seek the start of the next round, or with a negative number of the previous one. @param {number} by */
  round(by) {
    const starts = this.steps.flatMap((count, step) =>
      this.events.slice(this.steps[step - 1] ?? 0, count).some(({ type }) => type === "round_started") ? [step] : [],
    );
    const target =
      by > 0
        ? (starts.find((step) => step > this.step) ?? this.steps.length - 1)
        : (starts.findLast((step) => step < this.step) ?? 0);
    this.seek(target);
  }

  toggle() {
    if (this.#timer) return this.#pause();
    const next = () => {
      if (this.step >= this.steps.length - 1) return this.#pause();
      this.seek(this.step + 1, false);
      this.#timer = setTimeout(next, STEP_MS / Number(this.speed.value));
    };
    this.#timer = setTimeout(next, 0);
    this.#showPlay(true);
  }

  #pause() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#showPlay(false);
    clearTimeout(this.#urlTimer);
    this.#urlTimer = setTimeout(() => {
      history.replaceState(null, "", `${location.pathname}${location.search}#e=${this.event}`);
      announce(this.caption.textContent ?? "");
    }, URL_DELAY_MS);
  }

  /** @param {boolean} playing */
  #showPlay(playing) {
    this.play.replaceChildren(h("span", { class: playing ? "pause-sign" : "play-sign" })); // drawn: few fonts have them
    attribute(this.play, "aria-label", t(playing ? "replay.pause" : "replay.play"));
  }

  update() {
    const started = performance.now();
    const past = this.events.slice(0, this.steps[this.step]);
    let view = emptyView(this.tiles, this.last.ruleset);
    for (const event of past) fold(view, event);
    if (this.secrets && this.eyes !== "spectator")
      view = revealedView(view, past, this.secrets, this.eyes === "open" ? null : Number(this.eyes));
    Object.assign(this.shown, { view, log: past, players: view.players });
    const turning = /** @type {any} */ (
      past.findLast(({ type }) => type === "tile_placed" || type === "placement_taken_back")
    );
    if (turning && view.phase === "building" && past.at(-1)?.version === turning.version) this.looked = turning.seat;
    for (const panel of this.panels) panel.update();
    const player = view.players[this.looked];
    hide(this.board.root, !player);
    const moment = `${view.round}.${view.phase}`;
    if (player) this.board.update({ player, mine: false, pending: null, moment, highlighted: [] });
    this.#showCaption(view, past);
    Object.assign(this.root.dataset, { event: String(this.event), status: view.status, phase: view.phase ?? "none" });
    performance.measure("skye-seek", { start: started });
  }

  /** @param {Game} view @param {Event[]} past */
  #showCaption(view, past) {
    const version = past.at(-1)?.version;
    const what = past
      .filter((event) => event.version === version)
      .map((event) => story(event, view))
      .filter(Boolean)
      .join(". ");
    const round = roundOf(this.events.slice(0, this.steps[this.step - 1] ?? 0)); // the step's last events may begin the next round
    const text = round ? plain(t("replay.step", { round, what })) : what || t("replay.start");
    setText(this.caption, text);
    setText(this.head, view.name ?? "");
    this.slider.value = String(this.step);
    attribute(this.slider, "aria-valuetext", text);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || openDialogs.length) return;
    const { target } = event;
    if (
      target instanceof HTMLSelectElement ||
      target === this.slider ||
      (target instanceof Element && target.closest("[role=grid]"))
    ) {
      if (!["[", "]"].includes(event.key)) return;
    }
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => this.seek(this.step - 1),
      ArrowRight: () => this.seek(this.step + 1),
      "[": () => this.round(-1),
      "]": () => this.round(1),
      Home: () => this.seek(0),
      End: () => this.seek(this.steps.length - 1),
      " ": () => this.toggle(),
    };
    if (!keys[event.key] || (event.key === " " && target instanceof HTMLButtonElement)) return;
    event.preventDefault();
    keys[event.key]();
  }
}

/** Return the number of the last round that has begun, 0 before the first one. @param {Event[]} events */
function roundOf(events) {
  const started = events.findLast(({ type }) => type === "round_started");
  return started?.type === "round_started" ? started.round : 0;
}
