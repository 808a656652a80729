import { sleep } from "../../clients/typescript/src/transport.js";
import { territoryBoard } from "./board.js";
import { coin, purse } from "../shared/coins.js";
import { afterFrame, announce, attribute, h, hide, setText } from "../shared/dom.js";
import { gameHeader, turnText } from "./header.js";
import { number, t } from "../shared/i18n.js";
import { focusKeeper } from "../shared/focus.js";
import { gameKeys } from "../shared/keys.js";
import { lazyPart } from "../shared/lazy.js";
import { logPanel, spokenStory, story } from "./log.js";
import { guideStep } from "../state/guide-step.js";
import { market } from "./market.js";
import { gameMenu } from "../shared/menu.js";
import { countsUp, FLIGHT_MS, flight } from "../shared/motion.js";
import { awayBanner, slowBanner } from "./away.js";
import { boardNotices } from "./notices.js";
import { paneTabs, sidePanes } from "./panes.js";
import { Placing } from "./place.js";
import { placedLast } from "./placed-last.js";
import { pauseBanner } from "./pause.js";
import { proposalBanner } from "./proposal.js";
import { pricingTray } from "./pricing.js";
import { stepText } from "./step-text.js";
import { sinceLastTurn } from "./since.js";
import { scoringPanel } from "./scores.js";
import { uncounted, seatCards } from "./seats.js";
import { toastError } from "../shared/toast.js";
import { tokensOf } from "../state/tokens.js";
import { turnAlerts } from "./turn-alerts.js";

/** @typedef {import("../state/store.js").Store} Store */

/** How often the clocks of the seats are shown again, in milliseconds. */
const TICK_MS = 250;

/** @typedef {Parameters<ReturnType<typeof import("./round-points.js").countingStrip>["count"]>[0]} Scored */
/**
 * @typedef {object} State What the page shows of a game, beside the choice of a tile (`Placing`).
 * @property {number | null} looked The seat whose territory is shown; null for our own.
 * @property {number | null} counted The seat whose points are being counted: its territory is shown meanwhile.
 * @property {{tiles: readonly string[], seat: number | null}} highlighted Tiles of a seat that are lit.
 * @property {boolean} explaining Whether the list of what earned points covers the rest of the tray.
 * @property {boolean} ending Whether the points at the end are being counted; the result is shown afterwards.
 * @property {boolean} open Whether all parts have been shown once.
 * @property {Scored[]} scored Events with points that are not counted yet.
 * @property {import("../state/api.js").Event[]} heard Events that the page has not told of yet.
 * @property {(() => void)[]} flights What begins the flights of what was bought.
 * @property {string[]} said What a screen reader says before whose turn it is.
 * @property {string} phase The phase that was shown last.
 * @property {string} turn The turn that was announced last.
 */

/**
 * Create the page of a game: header, board, trays and panels.
 *
 * @param {Store} store
 * @param {number} chosen Which of our seats in this browser is shown.
 * @param {(seat: number) => void} reopen
 */
export function gamePage(store, chosen, reopen) {
  /** @type {State} */
  const state = {
    looked: null,
    counted: null,
    highlighted: { tiles: [], seat: null },
    explaining: false,
    ending: false,
    open: false,
    scored: [],
    heard: [],
    flights: [],
    said: [],
    phase: "",
    turn: "",
  };
  /** The timer of the next update of the panels. */
  let later = 0;
  /** Whether something else is shown in place of the game, perhaps before all parts were shown. */
  let closed = false;

  const banner = h("p", { class: "banner", hidden: true, role: "status" }, t("connection.offline"));
  const [away, slow] = [awayBanner(store), slowBanner(store)];
  const gold = h("strong", {});
  const goldUnit = h("span", {});

  const placing = new Placing(store, updatePlacing);
  const board = territoryBoard(placing, () => store.view.ruleset);
  const pricing = pricingTray(store, (tile) => placing.select(placing.tile === tile ? null : tile));
  const ownGold = h("div", { class: "own-gold" }, purse(), gold, goldUnit, pricing.purse);
  const offers = market(store, (tile) => placing.select(tile));
  const trial = lazyPart(isTrying, async () => (await import("./trial.js")).trialTray(store, placing));
  const building = lazyPart(
    () => store.seat !== null && store.view.phase === "building",
    async () => (await import("./building.js")).buildingTray(store, placing),
  );
  const handOver = lazyPart(
    () => store.view.status !== "lobby" && tokensOf(store.id).seats.length > 1,
    async () => (await import("./hotseat.js")).handOver(store, chosen, reopen),
  );
  const notices = boardNotices(store);
  const proposal = proposalBanner(store);
  const pause = pauseBanner(store);
  const since = sinceLastTurn(store);
  const points = lazyPart(
    () => false,
    async () => (await import("./points.js")).pointsPanel(store, highlight, explaining),
  );
  const alerts = turnAlerts(store);
  const explain = (/** @type {number} */ seat) => void explainPoints(seat).catch(toastError);
  const seats = seatCards(store, look, () => ({ shown: shownSeat(), counted: state.counted }), explain);
  const ticking = setInterval(() => seats.tick(), TICK_MS);
  const scoring = scoringPanel(store);
  const log = logPanel(store);
  const strip = lazyPart(
    () => state.scored.length > 0,
    async () => {
      const { countingStrip } = await import("./round-points.js");
      store.changed(); // counts the events in `scored`
      return countingStrip(store, count, counted);
    },
  );
  const guided = guideStep(store.id) !== null;
  const guide = lazyPart(
    () => guided && store.view.status !== "lobby",
    async () => (await import("./guide.js")).guidePanel({ store, placing, pricing }, teach),
  );
  const lobby = lazyPart(
    () => store.view.status === "lobby",
    async () => (await import("../home/lobby.js")).lobbyPanel(store, reopen),
  );
  const result = lazyPart(
    () => !state.ending && (store.view.status === "finished" || store.view.status === "aborted"),
    async () => (await import("./rematch.js")).endPanel(store, explain),
  );
  const menu = gameMenu(store, chosen, reopen, () => handOver.part?.seats() ?? []);
  const header = gameHeader(store, menu.root, () => tabs.open("scoring"));
  const keys = gameKeys({ store, placing, board, pricing, market: offers, building: () => building.part });

  const acts = h("div", { class: "act" }, trial.root, offers.tray);
  const parts = h(
    "div",
    { class: "tray-parts" },
    handOver.root,
    pricing.root,
    offers.root,
    acts,
    building.root,
    result.root,
  );
  const tray = h("div", { class: "tray" }, points.root, parts, strip.root);
  const notes = h("div", { class: "notes" }, ...[banner, guide.root, since.root, notices.root]);
  const requests = h("div", { class: "requests" }, away.root, slow.root, proposal.root, pause.root);
  const left = { root: h("div", { class: "left" }, seats.root, requests, notes) };
  const side = { root: sidePanes({ scoring, log }) };
  const main = h("main", {});
  const root = h("div", { class: "game-page", "data-tab": "board" }, header.root, main);
  const tabs = paneTabs(root);
  root.append(tabs.root);
  for (const type of ["click", "input", "keydown"]) root.addEventListener(type, acted, true);
  parts.addEventListener("focusin", acted); // the strip covers them
  const focus = focusKeeper(root, heading);
  store.onEvent(heard);

  /**
   * Draw the game, lay it out and paint it part by part, each in a separate task; all parts are laid out before one is visible.
   *
   * @param {Element} app
   */
  async function open(app) {
    const visible = [header.root, left.root, board.root, pricing.root, offers.root];
    const steps = [
      ...[enterPhase, updateFrame, updateTrays, updateOffers, updateBoard].flatMap((draw) => [() => sleep(0), draw]),
      () => {
        root.style.visibility = "hidden"; // layout changes of hidden elements do not count as layout shifts
        app.replaceChildren(root);
        return afterFrame();
      },
      ...[left, lobby, board, { root: ownGold }, { root: tray }, side].map((part) => () => {
        main.append(part.root);
        return afterFrame();
      }),
      () => Promise.all([menu, lobby, result, building, handOver, guide].map(({ loading }) => loading)),
      () => {
        state.open = true;
        updatePanels();
        return afterFrame(); // the panels are laid out: the focus needs the layout
      },
      () => since.open(),
      ...visible.map((part) => () => {
        part.style.visibility = "visible";
        return afterFrame();
      }),
    ];
    for (const step of steps) {
      await step();
      if (closed) return;
    }
    for (const part of [root, ...visible]) part.style.visibility = "";
    store.onChange(update); // not before: a tile that is drawn before the sheet is loaded needs a request
    store.changed();
    focus.begin();
    if (store.seat !== null) building.prepare(); // so that the phase does not begin with a wait
  }

  function close() {
    closed = true;
    clearTimeout(later);
    clearInterval(ticking);
    for (const part of [header, since, alerts, keys, store]) part.close();
  }

  /** Return the heading of what can be done or is shown, for a focus that is lost. @returns {HTMLElement | null} */
  function heading() {
    const own = [".pricing h2", ".buying h2", ".building h2", ".result h2"];
    const headings = /** @type {HTMLElement[]} */ (
      [...own, ".tray h2", ".lobby > h2", ".board h2"].flatMap((selector) => [...root.querySelectorAll(selector)])
    );
    const found = headings.find((one) => one.checkVisibility()) ?? null;
    if (found) found.tabIndex = -1;
    return found;
  }

  /** Return the seat whose territory is shown. */
  function shownSeat() {
    return state.counted ?? state.looked ?? store.seat ?? 0;
  }

  /** Whether a tile is chosen that we can only preview. */
  function isTrying() {
    return placing.tile !== null && !placing.building && store.view.options.hints;
  }

  /**
   * Show the territory of a seat. That of a rival ends the choice of a tile, which would only fit in ours.
   *
   * @param {number | null} seat
   */
  function look(seat) {
    state.looked = seat === store.seat ? null : seat;
    state.counted = null;
    if (state.looked !== null) placing.select(null);
    tabs.showBoard();
    update();
  }

  /** Show the territory of a seat, and what earned its points. @param {number} seat */
  async function explainPoints(seat) {
    look(seat);
    points.prepare();
    await points.loading;
    await points.part?.open(seat);
  }

  /** @param {boolean} covers Whether the list of what earned points is open. */
  function explaining(covers) {
    state.explaining = covers;
    updateTrays();
  }

  /** @param {readonly string[]} tiles @param {number | null} seat */
  function highlight(tiles, seat) {
    state.highlighted = { tiles, seat };
    updateBoard();
  }

  /**
   * Show the territory of the seat whose points are counted, with the tiles that made them. A chosen tile keeps our own in sight.
   *
   * @param {readonly string[]} tiles
   * @param {number | null} seat Null when all points are counted.
   * @param {import("./round-points.js").Step} [step]
   */
  function count(tiles, seat, step) {
    state.counted = placing.tile ? null : seat;
    root.classList.toggle("counting", state.counted !== null);
    highlight(tiles, seat);
    seats.update();
    if (!step?.points || seat === null) return;
    const picture = () => h("span", { class: "won-points" }, stepText(step));
    flight(board.cellOf(tiles[0]), seats.scoreOf(seat), { picture })();
  }

  /** End the counting at an action; a key or a heading that moves the focus is none. @param {Event} event */
  function acted(event) {
    const isKey = event.type === "keydown" && /** @type {KeyboardEvent} */ (event).key.length > 1;
    const isHeading = event.type === "focusin" && /** @type {Element} */ (event.target).matches("h2");
    if (strip.part?.running && !isKey && !isHeading) setTimeout(() => strip.part?.end()); // after the event has its effect
  }

  /** All points are counted. */
  function counted() {
    state.ending = false;
    update();
  }

  /** @param {string | null} lesson */
  function teach(lesson) {
    attribute(root, "data-lesson", lesson);
  }

  /** Take in an event before the page is drawn; `tell` does what can follow. @param {import("../state/api.js").Event} event */
  function heard(event) {
    if (later) clearTimeout(later); // the panels are drawn after the board, once for all events
    later = 0;
    state.heard.push(event);
    if (event.type === "tile_bought") {
      const placeOf = (/** @type {number} */ seat) => offers.rowOf(seat) ?? seats.cardOf(seat);
      const [buyer, seller] = [placeOf(event.seat), placeOf(event.seller)];
      const picture = () => coin(event.price);
      state.flights.push(
        flight(offers.pictureOf(event.tile), buyer),
        flight(buyer, seller, { picture, delay: FLIGHT_MS }),
      );
    }
    if (event.type === "round_scored" || event.type === "game_finished") {
      const isEnd = event.type === "game_finished";
      if (countsUp()) {
        store.set({ counted: store.counted ?? uncounted(event) });
        state.ending ||= isEnd;
      } else if (isEnd) return; // the result has the points
      state.scored.push(event);
    }
  }

  /** Tell of an event by a sound, by a notice and in words. @param {import("../state/api.js").Event} event */
  function tell(event) {
    const isBots = "seat" in event && event.seat !== null && store.view.players[event.seat]?.bot;
    if (!isBots) alerts.sound(event.type);
    const notice = notices.add(event);
    if (notice) state.said.push(notice);
    if (event.type === "tile_placed" && event.seat === store.seat) announce(spokenStory(event, store));
    if (event.type === "round_scored" || event.type === "game_finished") state.said.push(story(event, store.view));
  }

  /** Draw what players look at; the panels follow in a task of their own. */
  function update() {
    enterPhase();
    updateFrame();
    updateTrays();
    updateOffers();
    updateBoard();
    later ||= setTimeout(updatePanels, 0);
  }

  /** Update the header and what belongs to the page as a whole. */
  function updateFrame() {
    const { view } = store;
    root.dataset.status = view.status;
    root.dataset.phase = view.phase ?? "none";
    root.classList.toggle("my-turn", store.myTurn);
    root.classList.toggle("watching", store.seat === null);
    attribute(root, "aria-busy", store.busy ? "true" : null);
    strip.update();
    if (strip.part) for (const event of state.scored.splice(0)) strip.part.count(event);
    if ((store.busy || placing.tile) && strip.part?.running) strip.part.end(); // our own action ends the counting
    root.classList.toggle("counting", state.counted !== null);
    placing.refresh();
    header.update();
    for (const part of [away, slow]) part.update();
    proposal.update();
    pause.update();
    hide(banner, store.connection !== "reconnecting" && navigator.onLine);
    updateGold();
  }

  function updateGold() {
    const { me, view } = store;
    hide(ownGold, !me || view.status === "lobby");
    setText(gold, number(me?.gold ?? 0));
    setText(goldUnit, t("gold.unit", { count: me?.gold ?? 0 }));
  }

  /** Update the market, and what takes its place before and after the game. */
  function updateOffers() {
    for (const part of [lobby, offers, result, menu]) part.update();
    if (state.ending) hide(result.root, true); // the end is being counted up
  }

  /** Update the panels, and tell what has happened, in a task after the update of the board and the trays. */
  function updatePanels() {
    later = 0;
    if (!state.open) return;
    for (const begin of state.flights.splice(0)) begin();
    alerts.update();
    state.heard.splice(0).forEach(tell);
    announceTurn();
    for (const panel of [seats, scoring, log, guide]) panel.update();
    focus.check();
    if (!root.style.visibility) root.dataset.event = String(store.view.last_event); // not before all parts are shown
  }

  /** Update what depends on the chosen tile, which is shown in our territory. */
  function updatePlacing() {
    if (placing.tile && (state.looked !== null || state.counted !== null)) return look(null);
    if (placing.tile) tabs.showBoard();
    updateBoard();
    updateActs();
    guide.update();
  }

  function updateBoard() {
    const seat = shownSeat();
    const player = store.players[seat];
    const { round, status } = store.view;
    hide(board.root, !player || status === "lobby");
    if (!player) return;
    board.update({
      player,
      mine: seat === store.seat,
      pending: store.pending,
      moment: String(round),
      all: state.counted === null ? null : store.players.flatMap(({ territory }) => territory),
      highlighted: state.highlighted.seat === seat ? state.highlighted.tiles : [],
      fresh: placedLast(store.log),
    });
  }

  function updateTrays() {
    const { view } = store;
    const playing = view.status === "playing" && store.seat !== null;
    handOver.update();
    hide(parts, state.explaining);
    root.classList.toggle("handing-over", handOver.part?.asking() ?? handOver.loading !== null);
    hide(pricing.root, !playing || view.phase !== "pricing");
    hide(pricing.purse, pricing.root.hidden);
    if (!pricing.root.hidden) pricing.update();
    updateActs();
  }

  /** Update the parts of the tray that depend on the chosen tile. */
  function updateActs() {
    const { view, myTurn } = store;
    const buying = view.status === "playing" && view.phase === "buying" && myTurn;
    root.classList.toggle("trying", isTrying());
    hide(offers.tray, !buying);
    hide(acts, !buying && !isTrying());
    for (const part of [trial, building]) part.update();
  }

  /** Show the board when a phase begins. */
  function enterPhase() {
    const { phase } = store.view;
    const entered = phaseNow();
    if (entered === state.phase) return;
    state.phase = entered;
    placing.select(null);
    tabs.showBoard();
    if (phase === "building") state.looked = null;
  }

  function phaseNow() {
    return `${store.view.round}.${store.view.phase}`;
  }

  /** Announce to screen readers what has happened and whose turn it is. */
  function announceTurn() {
    const { view } = store;
    const turn = `${phaseNow()}.${view.status}.${view.waiting_for.join(",")}`;
    if (store.myTurn && !store.actions) return;
    const said = state.said.splice(0);
    if (turn !== state.turn) said.push(store.myTurn && view.phase === "buying" ? offers.status() : turnText(store));
    state.turn = turn;
    announce(said.join(". "));
  }

  return { root, open, close };
}
