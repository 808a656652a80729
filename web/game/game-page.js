import { sleep } from "../../clients/typescript/src/transport.js";
import { Board } from "./board.js";
import { afterFrame, announce, attribute, button, h, hide, setText } from "../shared/dom.js";
import { gameHeader, turnText } from "./header.js";
import { number, t } from "../shared/i18n.js";
import { focusKeeper } from "../shared/focus.js";
import { gameKeys } from "../shared/keys.js";
import { lazyPart } from "../shared/lazy.js";
import { logPanel, spokenStory, story } from "./log.js";
import { guideStep } from "../state/guide-step.js";
import { market } from "./market.js";
import { gameMenu } from "../shared/menu.js";
import { FLIGHT_MS, fly } from "../shared/motion.js";
import { boardNotices } from "./notices.js";
import { paneTabs, sidePanes } from "./panes.js";
import { Placing } from "./place.js";
import { pauseBanner } from "./pause.js";
import { proposalBanner } from "./proposal.js";
import { pricingTray } from "./pricing.js";
import { stepText } from "./step-text.js";
import { sinceLastTurn } from "./since.js";
import { scoringPanel } from "./scores.js";
import { pointsBefore, seatCards } from "./seats.js";
import { toast, toastError } from "../shared/toast.js";
import { tokensOf } from "../state/tokens.js";
import { turnAlerts } from "./turn-alerts.js";

/** @typedef {import("../state/store.js").Store} Store */

/** How often the clocks of the seats are shown again, in milliseconds. */
const TICK_MS = 250;

/** The frame of a game: header, board, trays and panels. */
export class GamePage {
  banner = h("p", { class: "banner", hidden: true, role: "status" }, t("connection.offline"));
  returning = h(
    "p",
    { class: "banner", hidden: true },
    button(t("return.button"), () => this.#return(), { "data-act": "return" }),
    " ",
    t("toast.bot_took_over"),
  );
  tabs = paneTabs(() => this.root);
  gold = h("strong", {});
  goldUnit = h("span", {});
  ownGold = h("div", { class: "own-gold" }, this.gold, this.goldUnit);
  #phase = "";
  #turn = "";
  /** Whether all parts have been shown once. */
  #open = false;
  /** The timer of the next update of the panels. */
  #later = 0;
  /** Whether the points at the end are being counted; the result is shown afterwards. */
  #ending = false;
  /** Whether the list of what earned points covers the rest of the tray. */
  #explaining = false;
  /** The seat whose points are being counted: its territory is shown meanwhile. @type {number | null} */
  #counted = null;
  /**
   * Events with points that are not counted yet.
   *
   * @type {Parameters<ReturnType<typeof import("./round-points.js").countingStrip>["count"]>[0][]}
   */
  #scored = [];
  /** What a screen reader says before whose turn it is. @type {string[]} */
  #said = [];

  /** @param {Store} store @param {number} chosen @param {(seat: number) => void} reopen */
  constructor(store, chosen, reopen) {
    this.store = store;
    /** The seat whose territory is shown; null for our own. @type {number | null} */
    this.looked = null;
    this.placing = new Placing(store, () => this.#showPlacing());
    this.board = new Board(this.placing, () => store.view.ruleset);
    this.pricing = pricingTray(store, (tile) => this.placing.select(this.placing.tile === tile ? null : tile));
    this.market = market(store, (tile) => this.placing.select(tile));
    this.trial = lazyPart(
      () => this.placing.tile !== null && !this.placing.building && store.view.options.hints,
      async () => (await import("./trial.js")).trialTray(store, this.placing),
    );
    this.building = lazyPart(
      () => store.seat !== null && store.view.phase === "building",
      async () => (await import("./building.js")).buildingTray(store, this.placing),
    );
    this.handOver = lazyPart(
      () => store.view.status !== "lobby" && tokensOf(store.id).seats.length > 1,
      async () => (await import("./hotseat.js")).handOver(store, chosen, reopen),
    );
    this.notices = boardNotices(store);
    this.proposal = proposalBanner(store);
    this.pause = pauseBanner(store);
    this.since = sinceLastTurn(store);
    this.points = lazyPart(
      () => false,
      async () =>
        (await import("./points.js")).pointsPanel(
          store,
          (tiles, seat) => this.#highlight(tiles, seat),
          (open) => {
            this.#explaining = open;
            this.#showTrays();
          },
        ),
    );
    this.alerts = turnAlerts(store);
    const explain = (/** @type {number} */ seat) => void this.#explainPoints(seat).catch(toastError);
    this.seats = seatCards(
      store,
      (seat) => this.look(seat),
      () => ({ shown: this.shownSeat, counted: this.#counted }),
      explain,
    );
    this.ticking = setInterval(() => this.seats.tick(), TICK_MS);
    this.scoring = scoringPanel(store);
    this.log = logPanel(store);
    this.strip = lazyPart(
      () => this.#scored.length > 0,
      async () => {
        const { countingStrip } = await import("./round-points.js");
        store.changed(); // counts the events in `#scored`
        return countingStrip(
          store,
          (tiles, seat, step) => this.#count(tiles, seat, step),
          () => {
            this.#ending = false;
            this.show();
          },
        );
      },
    );
    const guided = guideStep(store.id) !== null;
    this.guide = lazyPart(
      () => guided && store.view.status !== "lobby",
      async () => (await import("./guide.js")).guidePanel(this),
    );
    this.lobby = lazyPart(
      () => store.view.status === "lobby",
      async () => (await import("../home/lobby.js")).lobbyPanel(store, reopen),
    );
    this.result = lazyPart(
      () => !this.#ending && (store.view.status === "finished" || store.view.status === "aborted"),
      async () => (await import("./rematch.js")).endPanel(store, explain),
    );
    this.menu = gameMenu(store, chosen, reopen, () => this.handOver.part?.seats() ?? []);
    this.header = gameHeader(store, this.menu.root, () => this.tabs.open("scoring"));
    this.keys = gameKeys(this);
    this.root = this.#layOut();
    this.tabs.begin();
    this.focus = focusKeeper(this.root, () => this.#heading());
    /** What is beside the board. */
    this.panels = [this.seats, this.scoring, this.log];
    store.onEvent((event) => this.#heard(event));
  }

  /**
   * Draw the game, lay it out, then the panels, each in a separate task; show it when all parts are there.
   *
   * @param {Element} app
   */
  async open(app) {
    const { root } = this;
    await sleep(0);
    this.store.onChange(() => this.show()); // not before: a tile that is drawn before the sheet is loaded needs a request
    this.#showFrame();
    await sleep(0);
    this.#showMiddle();
    root.style.visibility = "hidden"; // layout changes of hidden elements do not count as layout shifts
    app.replaceChildren(root);
    await Promise.all([
      afterFrame(),
      ...[this.menu, this.lobby, this.result, this.building, this.handOver, this.guide].map(({ loading }) => loading),
    ]);
    this.#open = true;
    this.#showPanels();
    await afterFrame(); // the panels are laid out: the focus needs the layout
    this.since.open();
    root.style.visibility = "";
    this.focus.begin();
    if (this.store.seat !== null) this.building.prepare(); // so that the phase does not begin with a wait
  }

  close() {
    clearTimeout(this.#later);
    this.header.close();
    clearInterval(this.ticking);
    this.since.close();
    this.alerts.close();
    this.keys.close();
    this.store.close();
  }

  #layOut() {
    const { seats, scoring, log } = this;
    const acts = h("div", { class: "act" }, this.trial.root, this.market.tray);
    this.parts = h(
      "div",
      { class: "tray-parts" },
      this.handOver.root,
      this.pricing.root,
      this.market.root,
      acts,
      this.building.root,
      this.result.root,
    );
    const tray = h("div", { class: "tray" }, this.points.root, this.parts);
    const notes = h(
      "div",
      { class: "notes" },
      this.banner,
      this.returning,
      this.proposal.root,
      this.pause.root,
      this.guide.root,
      this.strip.root,
      this.since.root,
      this.notices.root,
    );
    const left = h("div", { class: "left" }, seats.root, notes);
    const main = h("main", {}, left, this.lobby.root, this.board.root, this.ownGold, tray, sidePanes({ scoring, log }));
    return h("div", { class: "game-page", "data-tab": "board" }, this.header.root, main, this.tabs.root);
  }

  /** Return the heading of what is shown, for a focus that is lost. @returns {HTMLElement | null} */
  #heading() {
    const headings = /** @type {HTMLElement[]} */ (
      [".tray h2", ".lobby > h2", ".board h2"].flatMap((selector) => [...this.root.querySelectorAll(selector)])
    );
    const heading = headings.find((one) => one.checkVisibility()) ?? null;
    if (heading) heading.tabIndex = -1;
    return heading;
  }

  /** Take our seat back from the bot that took it over. */
  #return() {
    const { store } = this;
    const { seat } = store;
    if (seat !== null) void store.send(() => store.game.seat(seat).returnToSeat()).catch(toastError);
  }

  get shownSeat() {
    return this.#counted ?? this.looked ?? this.store.seat ?? 0;
  }

  /**
   * Show the territory of a seat. That of a rival ends the choice of a tile, which would only fit in ours.
   *
   * @param {number | null} seat
   */
  look(seat) {
    this.looked = seat === this.store.seat ? null : seat;
    this.#counted = null;
    if (this.looked !== null) this.placing.select(null);
    this.tabs.showBoard();
    this.show();
  }

  /** Show the territory of a seat, and what earned its points. @param {number} seat */
  async #explainPoints(seat) {
    this.look(seat);
    this.points.prepare();
    await this.points.loading;
    await this.points.part?.open(seat);
  }

  /** @param {readonly string[]} tiles @param {number | null} seat */
  #highlight(tiles, seat) {
    this.board.highlighted = new Set(seat === this.shownSeat ? tiles : []);
    this.#showBoard();
  }

  /**
   * Show the territory of the seat whose points are counted, with the tiles that made them. A chosen tile keeps our own in sight.
   *
   * @param {readonly string[]} tiles
   * @param {number | null} seat Null when all points are counted.
   * @param {import("./round-points.js").Step} [step]
   */
  #count(tiles, seat, step) {
    this.#counted = this.placing.tile ? null : seat;
    this.#highlight(tiles, seat);
    this.seats.show();
    if (!step?.points || seat === null) return;
    const area = this.board.grid.querySelector(`[data-tile="${tiles[0]}"]`);
    fly(area, this.root.querySelector(`.seat[data-seat="${seat}"] .score`), {
      picture: h("span", { class: "coins" }, stepText(step)),
    });
  }

  /** Return the element of a seat: its card, or its row in the market. @param {number} seat */
  #placeOf(seat) {
    const places = /** @type {HTMLElement[]} */ ([
      ...this.root.querySelectorAll(`.seat[data-seat="${seat}"], .market-row[data-seat="${seat}"]`),
    ]);
    return places.findLast((place) => place.offsetParent) ?? null;
  }

  /** @param {import("../state/api.js").Event} event */
  #heard(event) {
    clearTimeout(this.#later); // the panels are drawn after the board, once for all events
    this.#later = 0;
    if (event.type === "tile_bought") {
      fly(this.market.root.querySelector(`[data-tile="${event.tile}"] img`), this.#placeOf(event.seat));
      const coins = h("span", { class: "coins" }, t("gold", { count: event.price }));
      fly(this.#placeOf(event.seat), this.#placeOf(event.seller), { picture: coins, delay: FLIGHT_MS });
    }
    this.alerts.sound(event.type);
    const notice = this.notices.add(event);
    if (notice) this.#said.push(notice);
    if (event.type === "tile_placed" && event.seat === this.store.seat) announce(spokenStory(event, this.store.view));
    if (event.type === "round_scored" || event.type === "game_finished") {
      this.#scored.push(event);
      this.store.counted ??= pointsBefore(event);
      this.#said.push(story(event, this.store.view));
      this.#ending ||= event.type === "game_finished";
    }
    if (event.type === "bot_took_over" && event.seat === this.store.seat) toast(t("toast.bot_took_over"));
  }

  show() {
    this.#showFrame();
    this.#showMiddle();
  }

  /** Show what is around the board: the header and the trays. */
  #showFrame() {
    const { store } = this;
    const { view } = store;
    this.root.dataset.status = view.status;
    this.root.dataset.phase = view.phase ?? "none";
    this.root.classList.toggle("my-turn", store.myTurn);
    this.root.classList.toggle("watching", store.seat === null);
    attribute(this.root, "aria-busy", store.busy ? "true" : null);
    this.strip.show();
    if (this.strip.part) for (const event of this.#scored.splice(0)) this.strip.part.count(event);
    if (store.busy && this.strip.part?.running) this.strip.part.end(); // our own action ends the counting
    this.placing.refresh();
    this.header.show();
    this.alerts.show();
    hide(this.returning, !store.token || view.status !== "playing" || store.me?.end.type !== "took_over");
    this.proposal.show();
    this.pause.show();
    hide(this.banner, store.connection !== "reconnecting" && navigator.onLine);
    this.#showGold();
    this.#showTrays();
  }

  #showGold() {
    const { me, view } = this.store;
    hide(this.ownGold, !me || view.status === "lobby");
    const gold = me?.gold ?? 0;
    setText(this.gold, number(gold));
    setText(this.goldUnit, t("gold.unit", { count: gold }));
  }

  /** Show the board and the market, and say whose turn it is. */
  #showMiddle() {
    for (const part of [this.lobby, this.market, this.result, this.menu]) part.show();
    if (this.#ending) hide(this.result.root, true); // the end is being counted up
    this.#showBoard();
    this.#announceTurn();
    this.#later ||= setTimeout(() => this.#showPanels(), 0);
  }

  /** Update the panels, in a task after the update of the board and the trays. */
  #showPanels() {
    this.#later = 0;
    if (!this.#open) return;
    for (const panel of this.panels) panel.show();
    this.guide.show();
    this.focus.check();
    this.root.dataset.event = String(this.store.view.last_event);
  }

  /** Show the chosen tile, in our territory. */
  #showPlacing() {
    if (this.placing.tile && (this.looked !== null || this.#counted !== null)) return this.look(null);
    if (this.placing.tile) this.tabs.showBoard();
    this.root.classList.toggle("trying", this.placing.tile !== null && !this.placing.building);
    this.#showBoard();
    this.trial.show();
    this.building.show();
    this.guide.show();
  }

  #showBoard() {
    const player = this.store.players[this.shownSeat];
    const { round, phase, status } = this.store.view;
    hide(this.board.root, !player || status === "lobby");
    this.board.moment = `${round}.${phase}`;
    if (player) this.board.show(player, this.shownSeat === this.store.seat, this.store.pending);
  }

  #showTrays() {
    const { view } = this.store;
    const playing = view.status === "playing" && this.store.seat !== null;
    this.handOver.show();
    if (this.parts) hide(this.parts, this.#explaining);
    this.root.classList.toggle("handing-over", this.handOver.part?.asking() ?? this.handOver.loading !== null);
    hide(this.pricing.root, !playing || view.phase !== "pricing");
    hide(this.market.tray, !playing || view.phase !== "buying" || !this.store.myTurn);
    if (!this.pricing.root.hidden) this.pricing.show();
    for (const part of [this.trial, this.building]) part.show();
  }

  /** Show the pane of a new phase, and announce whose turn it is to screen readers. */
  #announceTurn() {
    const { store } = this;
    const { view } = store;
    const phase = `${view.round}.${view.phase}`;
    if (phase !== this.#phase) {
      this.#phase = phase;
      this.placing.select(null);
      this.tabs.showBoard();
      if (view.phase === "building") this.looked = null;
    }
    const turn = `${phase}.${view.status}.${view.waiting_for.join(",")}`;
    if (store.myTurn && !store.actions) return;
    const said = this.#said.splice(0);
    if (turn !== this.#turn)
      said.push(store.myTurn && view.phase === "buying" ? this.market.status() : turnText(store));
    this.#turn = turn;
    announce(said.join(". "));
  }
}
