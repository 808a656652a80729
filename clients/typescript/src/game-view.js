import { ApiError, HistoryLostError } from "./errors.js";
import { fold } from "./fold.js";

/** @import { Action, CallOptions, Game as GameResource } from "./resources.js" */
/** @import { FollowOptions } from "./events.js" */
/** @typedef {import("./fold.js").Game} GameData */
/** @typedef {import("./fold.js").Event} Event */

const WITH_ACTIONS = { include: "actions" };

/** The problems of a return that was not necessary: the player has returned already, or the game is over. */
const NOT_AWAY = new Set(["seat_not_taken_over", "game_finished", "game_aborted"]);

/** A view of a game to which each event is applied (a fold). */
export class GameView {
  /** @param {GameResource} game @param {GameData} data */
  constructor(game, data) {
    this.game = game;
    /** The view, as `GET /v1/games/{game}` returns it. */
    this.data = data;
  }

  /** Load the view of a game. @param {GameResource} game */
  static async open(game) {
    return new GameView(game, await game.get());
  }

  /** Load the view again. */
  async reload() {
    take(this, this.data.last_event, await this.game.get());
  }

  /** Whether the game is over. */
  get over() {
    return this.data.status === "finished" || this.data.status === "aborted";
  }

  /** Whether the caller's seat must act now. */
  get myTurn() {
    const { you, waiting_for } = this.data;
    return you.seat !== null && waiting_for.includes(you.seat);
  }

  /** The caller's seat. */
  get seat() {
    const { seat } = this.data.you;
    if (seat === null) throw new TypeError("The viewer of this game has no seat.");
    return this.game.seat(seat);
  }

  /**
   * Return the legal actions of the caller's seat; `act` has loaded them with its response.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<Action[]>}
   */
  async actions(options) {
    const { data } = this;
    const view = data.actions ? data : take(this, data.last_event, await this.game.get({ ...options, query: WITH_ACTIONS }));
    return view.actions ?? [];
  }

  /**
   * Send an action of `actions`; the response becomes the view, with the next legal actions.
   *
   * @param {{method: string, href: string, body?: unknown}} action
   * @param {CallOptions} [options]
   */
  async act(action, options) {
    const { last_event } = this.data;
    let view = await this.seat.act(action, { ...options, query: WITH_ACTIONS });
    if (view.last_event < last_event) view = await this.game.get({ query: WITH_ACTIONS }); // replayed, or the server has lost events
    take(this, last_event, view);
  }

  /**
   * Yield each event after it was applied to `data`, until the game is over. Yields null after the view was
   * loaded again: because the server has lost events, or because an event of a newer type says so. The loop may call
   * `act` and `actions`: their view includes events that are yielded after it.
   *
   * @param {Omit<FollowOptions, "after">} [options]
   * @returns {AsyncGenerator<Event | null, void, void>}
   */
  async *follow(options = {}) {
    for (;;) {
      try {
        for await (const event of this.game.events({ ...options, after: this.data.last_event })) {
          if (event.reload) throw new HistoryLostError();
          if (event.id > this.data.last_event) { // `act` may have taken a newer view
            fold(this.data, event);
            delete this.data.actions;
          }
          yield event;
        }
        return;
      } catch (error) {
        if (!(error instanceof HistoryLostError)) throw error;
        await this.reload();
        yield null;
      }
    }
  }

  /** Take the caller's seat back, if the server has taken it over. */
  async takeBackSeat() {
    const { last_event, you, status, players } = this.data;
    if (you.seat === null || status !== "playing" || !players[you.seat].takeover) return;
    try {
      take(this, last_event, await this.seat.returnToSeat());
    } catch (error) {
      if (!(error instanceof ApiError) || !NOT_AWAY.has(error.code)) throw error;
      await this.reload();
    }
  }

  /**
   * Wait until the caller's seat must act, or the game is over. A seat that the server has taken over is taken back.
   *
   * @param {Omit<FollowOptions, "after">} [options]
   * @returns {Promise<boolean>} False when the game is over.
   */
  async untilMyTurn(options = {}) {
    await this.takeBackSeat();
    if (this.myTurn || this.over) return !this.over;
    for await (const event of this.follow(options)) {
      if (event !== null && event.type !== "turn_changed") continue; // other events of the same version follow
      await this.takeBackSeat();
      if (this.myTurn || this.over) break;
    }
    return !this.over;
  }
}

/**
 * Take the view of a response, unless later events were applied meanwhile; `known` was the last event before.
 *
 * @param {GameView} view
 * @param {number} known
 * @param {GameData} loaded
 */
function take(view, known, loaded) {
  if (!(known <= loaded.last_event && loaded.last_event < view.data.last_event)) view.data = loaded;
  return loaded;
}
