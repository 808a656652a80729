import { ApiError, HistoryLostError } from "../../clients/typescript/src/errors.js";
import { fold } from "../../clients/typescript/src/fold.js";
import { randomKey } from "../../clients/typescript/src/transport.js";
import { actionsIn, momentOf, momentToRequest, NOTHING_KNOWN } from "./actions.js";
import { skye } from "./api.js";
import { advanceServerTime, setServerTime, remainingMs } from "./clock.js";
import { TabGroup } from "./tabs.js";
import { soon } from "../shared/dom.js";
import { toastError } from "../shared/toast.js";
import { loadForTab, saveForTab } from "./items.js";

/** @typedef {import("./api.js").Game} Game */
/** @typedef {import("../../clients/typescript/src/resources.js").Seat} Seat */
/** @typedef {import("../../clients/typescript/src/resources.js").CallOptions} CallOptions */
/** @typedef {import("./api.js").Event} Event */
/** @typedef {import("./api.js").Action} Action */
/** @typedef {{tile: string, x: number, y: number, rotation: number}} Placed */
/** @typedef {"connecting" | "live" | "polling" | "reconnecting" | "over" | "gone"} Connection */

const WITH_ACTIONS = { include: "actions" };
const SETTLE_MS = 1000;
const RELOAD_MS = 7500;
const RELOAD_NEAR_DEADLINE_MS = 3500;
const NEAR_DEADLINE_MS = 15_000;

/** One game as one token shows it: the server's view kept current by events, and our own unconfirmed placement. */
export class Store {
  #stop = new AbortController();
  #drawing = false;
  #listeners = /** @type {Set<() => void>} */ (new Set());
  #eventListeners = /** @type {Set<(event: Event) => void>} */ (new Set());
  #known = NOTHING_KNOWN;
  /** When the first event arrived that is not drawn yet. */
  #firstEventAt = 0;

  /** @param {string} id @param {string | null} token */
  constructor(id, token) {
    this.id = id;
    this.token = token;
    this.game = skye.game(id, token);
    this.view = /** @type {Game} */ (/** @type {unknown} */ (null));
    /** All events from the first one on. @type {Event[]} */
    this.log = [];
    /** @type {Connection} */
    this.connection = "connecting";
    /** A placement that the server has not confirmed yet. @type {Placed | null} */
    this.pending = null;
    /**
     * The round whose points are being counted, null at the end of the game, and the points of each seat that have been
     * counted; null unless points are being counted.
     *
     * @type {{round: number | null, points: Map<number, number>} | null}
     */
    this.counted = null;
    /** Whether a write is in progress. */
    this.busy = false;
    for (const type of ["online", "offline"])
      addEventListener(type, () => this.changed(), { signal: this.#stop.signal });
    this.tabs = new TabGroup(`${id}.${token?.slice(-8) ?? ""}`, (message) => this.#hear(message));
  }

  /** Load the view and all events, then follow the game. */
  async open() {
    await this.#load();
    void this.tabs
      .lead(() => this.#follow().catch((error) => this.#stopFollowing(error)), this.#stop.signal)
      .catch(() => {});
    if (!this.tabs.leading && this.connection === "connecting") this.connection = "live";
    const resent = this.#resume();
    await this.refreshActions();
    await resent;
  }

  close() {
    this.#stop.abort();
    this.tabs.close();
    this.#listeners.clear();
  }

  async #load() {
    const { signal } = this.#stop;
    const [{ actions, ...view }, { events }] = await Promise.all([
      this.game.get({ signal, query: WITH_ACTIONS }),
      this.game.eventPage({ after: 0 }, { signal }),
    ]);
    const streamed = this.#lastEvent; // by the stream, during the requests
    this.view = /** @type {Game} */ (view);
    this.#setActions(actions);
    setServerTime(view.now);
    this.log = [];
    for (const event of events) this.#receive(/** @type {Event} */ (event));
    await this.#catchUp(Math.max(view.last_event, streamed));
    this.changed();
  }

  /**
   * Request the events that are missing in the log, and fold those that the view does not have.
   *
   * @param {number} [upTo]
   */
  async #catchUp(upTo = Infinity) {
    for (;;) {
      if (this.#lastEvent >= upTo) return;
      const page = await this.game.eventPage({ after: this.#lastEvent }, { signal: this.#stop.signal });
      for (const event of page.events) this.#receive(/** @type {Event} */ (event));
      if (!page.events.length || this.#lastEvent >= page.last_event) return;
    }
  }

  /** Request events now, because a deadline has passed. */
  sync() {
    void this.#catchUp().catch(() => {});
  }

  /**
   * Follow the events until the game is over. When the browser is online again, connect at once and do not wait for the
   * next retry.
   */
  async #follow() {
    const { signal } = this.#stop;
    const onState = (/** @type {Connection} */ state) => {
      this.#connected(state);
      this.tabs.relay({ state });
    };
    while (!signal.aborted) {
      const attempt = new AbortController();
      addEventListener("online", () => attempt.abort(), { signal: attempt.signal });
      try {
        for await (const event of this.game.events({
          after: this.#lastEvent,
          signal: AbortSignal.any([signal, attempt.signal]),
          onState,
        })) {
          if (event.reload) throw new HistoryLostError();
          this.tabs.relay(/** @type {Event} */ (event));
          this.#receive(/** @type {Event} */ (event));
        }
        return onState("over");
      } catch (error) {
        if (signal.aborted) return;
        if (attempt.signal.aborted) continue;
        if (!(error instanceof HistoryLostError)) throw error;
        this.tabs.relay({ reload: true });
        await this.#load();
      } finally {
        attempt.abort();
      }
    }
  }

  /** Handle what the leading tab relays. @param {import("./tabs.js").Message} message */
  #hear(message) {
    if ("state" in message) this.#connected(message.state);
    else if ("reload" in message) this.#load().catch((error) => this.#stopFollowing(error));
    else this.#receive(message);
  }

  /** @param {Connection} state */
  #connected(state) {
    this.connection = state;
    this.changed();
  }

  /** @param {unknown} error Why the game can no longer be followed. */
  #stopFollowing(error) {
    if (this.#stop.signal.aborted) return;
    this.#connected("gone");
    this.onGone(error);
  }

  /** Called when the token or the game is no longer known. @type {(error: unknown) => void} */
  onGone = toastError;

  /** @param {Event} event */
  #receive(event) {
    if (event.id <= this.#lastEvent) return;
    if (event.id > this.#lastEvent + 1) return void this.#catchUp().catch(() => {});
    this.log.push(event);
    if (event.id <= this.view.last_event) return; // the view includes it already
    advanceServerTime(event.at);
    this.#firstEventAt ||= performance.now();
    fold(this.view, event);
    if (event.type === "tile_placed" && this.pending && event.seat === this.seat) this.pending = null;
    for (const listener of this.#eventListeners) listener(event);
    this.changed();
  }

  /** The number of the last event of the log, 0 for none. */
  get #lastEvent() {
    return this.log.at(-1)?.id ?? 0;
  }

  /** Our seat, or null for a spectator. */
  get seat() {
    return this.view.you.seat;
  }

  get me() {
    return this.view.players.find(({ seat }) => seat === this.seat) ?? null;
  }

  get myTurn() {
    return this.seat !== null && this.view.status === "playing" && this.view.waiting_for.includes(this.seat);
  }

  /** The legal actions of our seat; null while unknown. */
  get actions() {
    return actionsIn(this.#known, this.view);
  }

  /** Whether no new action can be sent now. While only the server is unreachable, requests are retried. */
  get blocked() {
    return this.busy || !navigator.onLine;
  }

  /** The players, our unconfirmed placement included. */
  get players() {
    if (!this.pending || this.seat === null) return this.view.players;
    const { seat, pending } = this;
    return this.view.players.map((player) =>
      player.seat !== seat
        ? player
        : {
            ...player,
            territory: [...player.territory, /** @type {any} */ (pending)],
            tiles_to_build: player.tiles_to_build.filter((tile) => tile !== pending.tile),
          },
    );
  }

  /** @param {() => void} listener Called after each task in which something has changed. */
  onChange(listener) {
    this.#listeners.add(listener);
  }

  /** @param {(event: Event) => void} listener Called for each new event, when the view has it. */
  onEvent(listener) {
    this.#eventListeners.add(listener);
  }

  /** Change what others than the server decide. @param {Partial<Pick<Store, "busy" | "counted">>} part */
  set(part) {
    Object.assign(this, part);
    this.changed();
  }

  changed() {
    if (this.#drawing || !this.view) return;
    this.#drawing = true;
    soon(() => {
      this.#drawing = false;
      if (this.#stop.signal.aborted) return;
      for (const listener of this.#listeners) listener();
      if (this.#firstEventAt) performance.measure("skye-event", { start: this.#firstEventAt });
      this.#firstEventAt = 0;
      void this.refreshActions(); // after the drawing: a request takes the browser as long as an update of the board
    });
  }

  /** Keep the actions that a response included with the current view. @param {unknown[] | undefined} list */
  #setActions(list) {
    const moment = momentOf(this.view);
    if (list && moment) this.#known = { listed: { moment, list: /** @type {Action[]} */ (list) }, requested: null };
  }

  /** Request the actions of our seat when they may have changed. */
  async refreshActions() {
    const requested = this.busy ? null : momentToRequest(this.#known, this.view); // a write responds with the actions
    if (this.seat === null || !requested) return;
    this.#known = { ...this.#known, requested };
    try {
      const { actions, version } = await this.game
        .seat(this.seat)
        .request("GET", "/actions", undefined, { signal: this.#stop.signal });
      if (this.#known.requested !== requested) return; // a later request or a write has replaced this one
      if (version < this.view.version) return this.#requestAgain();
      this.#known = { listed: { moment: requested, list: /** @type {Action[]} */ (actions) }, requested: null };
      this.changed();
    } catch (error) {
      if (this.#stop.signal.aborted || this.#known.requested !== requested) return;
      if (error instanceof ApiError) this.#known = NOTHING_KNOWN;
      else this.#requestAgain();
    }
  }

  /** Forget the actions, and request them a little later. */
  #requestAgain() {
    this.#known = NOTHING_KNOWN;
    setTimeout(() => this.changed(), SETTLE_MS);
  }

  /**
   * Send a write of our seat. Show the error if the server refuses it.
   *
   * @param {(seat: Seat, options: CallOptions) => Promise<Game>} write
   * @param {string} [key]
   * @returns {Promise<boolean>} Whether it was accepted.
   */
  async act(write, key = randomKey()) {
    if (this.blocked || this.seat === null) return false;
    const { seat } = this;
    const { deadline } = this.view;
    const wait = deadline && remainingMs(deadline) < NEAR_DEADLINE_MS ? RELOAD_NEAR_DEADLINE_MS : RELOAD_MS;
    const reloading = setTimeout(() => void this.#load().catch(() => {}), wait);
    try {
      const { last_event, actions } = await this.send(() =>
        write(this.game.seat(seat), { idempotencyKey: key, query: WITH_ACTIONS }),
      );
      if (this.view.last_event === last_event) this.#setActions(actions);
      return true;
    } catch (error) {
      if (!this.#stop.signal.aborted) toastError(error);
      this.#known = NOTHING_KNOWN;
      return false;
    } finally {
      clearTimeout(reloading);
    }
  }

  /**
   * Send a write, and be busy until the view includes the result.
   *
   * @template {Game | {game: Game}} Result
   * @param {() => Promise<Result>} write
   * @returns {Promise<Result>}
   */
  async send(write) {
    this.busy = true;
    this.changed();
    try {
      const result = await write();
      const { last_event } = /** @type {Game} */ ("game" in result ? result.game : result);
      await this.#waitForEvent(last_event);
      return result;
    } finally {
      this.busy = false;
      this.changed();
    }
  }

  /** Wait until the view includes an event; request it if it does not arrive in the stream. @param {number} event */
  async #waitForEvent(event) {
    if (this.view.last_event >= event) return;
    await new Promise((resolve) => {
      const listener = (/** @type {Event} */ { id }) => {
        if (id >= event) done();
      };
      const done = () => {
        clearTimeout(timer);
        this.#eventListeners.delete(listener);
        resolve(null);
      };
      const timer = setTimeout(done, SETTLE_MS);
      this.onEvent(listener);
    });
    if (this.view.last_event < event) await this.#catchUp(event).catch(() => {});
  }

  /**
   * Place a tile. The page shows it at once, and removes it if the server refuses. The request is repeated after a reload.
   *
   * @param {Placed} placement
   * @param {string} [key]
   */
  async place(placement, key = randomKey()) {
    this.pending = placement;
    this.#known = NOTHING_KNOWN;
    saveForTab(this.#unconfirmed, { placement, key, seat: this.token });
    const accepted = await this.act((seat, options) => seat.place(/** @type {any} */ (placement), options), key);
    saveForTab(this.#unconfirmed, null);
    if (!accepted) this.pending = null;
    else
      setTimeout(() => {
        if (this.pending === placement) {
          this.pending = null;
          this.changed();
        }
      }, RELOAD_MS);
    this.changed();
    return accepted;
  }

  /** Where this tab keeps a placement without a response so far. */
  get #unconfirmed() {
    return `skye.unsettled.${this.id}`;
  }

  /** Repeat a placement whose response was lost in a reload; its idempotency key makes it count once. */
  async #resume() {
    /** @type {{placement: Placed, key: string, seat: string | null} | null} */
    const unconfirmed = loadForTab(this.#unconfirmed);
    if (!unconfirmed || unconfirmed.seat !== this.token || this.seat === null) return;
    const { placement, key } = unconfirmed;
    if (this.view.players[this.seat].tiles_to_build.some((tile) => tile === placement.tile))
      await this.place(placement, key);
    else saveForTab(this.#unconfirmed, null);
  }
}
