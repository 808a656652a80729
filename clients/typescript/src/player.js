import { EventFollower, PLAYER } from "./events.js";
import { OwnGames } from "./games.js";
import { Leagues } from "./leagues.js";
import { Game, seatsOf } from "./resources.js";
import { credential, newKey, waiting } from "./transport.js";

/** @import { components } from "../types/contract.js" */
/** @import { FollowOptions } from "./events.js" */
/** @import { Body, CallOptions, Created, Result } from "./resources.js" */
/** @import { RequestOptions, SendOptions, Transport } from "./transport.js" */
/** @typedef {components["schemas"]["PlayerEvent"]} PlayerEvent */

const PROFILE = "/v1/me/profile";
const TICKETS = "/v1/matchmaking/tickets";

/** A player, identified by a player key, which acts for the player's seats in all games. */
export class Player {
  /** Private, so that `console.log` does not show it. @type {string} */
  #key;

  /** @param {Transport} transport @param {string} [key] A new random one by default; it cannot be recovered. */
  constructor(transport, key = newKey()) {
    this.transport = transport;
    this.#key = credential(key);
  }

  get key() { return this.#key; }

  /** The games of the player. */
  get games() { return new OwnGames(this.transport, this.#key); }

  /** Many games at once, for this player. */
  get leagues() { return new Leagues(this.transport, this.#key); }

  /**
   * Send any request with the key, as `Skye.request` does.
   *
   * @param {string} method
   * @param {string} path The whole path.
   * @param {unknown} [body]
   * @param {SendOptions} [options]
   * @returns {Promise<any>}
   */
  request(method, path, body, options) { return this.#sent(method, path, { ...options, body }); }

  /** @param {string} method @param {string} path @param {RequestOptions} [options] @returns {Promise<any>} */
  #sent(method, path, options) { return this.transport.json(method, path, { token: this.#key, ...options }); }

  /** Return one game, for this player. @param {string} id */
  game(id) { return new Game(this.transport, id, this.key); }

  /**
   * Return the seats of a game that the player created, in order; sends no request. Seats without a token have the player's key.
   *
   * @param {Created} created What created the game returned.
   */
  seats(created) { return seatsOf(this.transport, created, this.key); }

  /**
   * Return the seat that the player took by joining a game or a rematch; sends no request.
   *
   * @param {{game: {id: string}, seat: number}} taken
   */
  seat({ game, seat }) { return this.game(game.id).seat(seat); }

  /** Return the player's id, and how many games the player has and may have. @param {CallOptions} [options] @returns {Promise<Result<"get_own_player">>} */
  get(options) { return this.#sent("GET", PLAYER, options); }

  /** Return statistics of the player's finished games. @param {CallOptions} [options] @returns {Promise<Result<"get_own_statistics">>} */
  statistics(options) { return this.#sent("GET", `${PLAYER}/statistics`, options); }

  /** Return an iterable over the events of all games of the player, without end. @param {FollowOptions} [options] @returns {EventFollower<PlayerEvent>} */
  events(options) { return new EventFollower(this.transport, PLAYER, this.key, options); }

  /**
   * Return one page of events.
   *
   * @param {{after?: string, limit?: number, wait_ms?: number}} [query]
   * @param {CallOptions} [options]
   * @returns {Promise<Result<"list_player_events">>}
   */
  eventPage(query, options) { return this.#sent("GET", `${PLAYER}/events`, { ...waiting(this.transport, query), ...options, query }); }

  /** @param {Body<"create_ticket">} ticket @param {CallOptions} [options] @returns {Promise<Result<"create_ticket">>} */
  createTicket(ticket, options) { return this.#sent("POST", TICKETS, { ...options, body: ticket }); }

  /** The tickets that wait. @param {CallOptions} [options] @returns {Promise<Result<"list_tickets">["tickets"]>} */
  async tickets(options) { return (await this.#sent("GET", TICKETS, options)).tickets; }

  /** @param {string} id @param {CallOptions} [options] @returns {Promise<Result<"get_ticket">>} */
  ticket(id, options) { return this.#sent("GET", `${TICKETS}/${id}`, options); }

  /** @param {string} id @param {CallOptions} [options] @returns {Promise<Result<"cancel_ticket">>} */
  cancelTicket(id, options) { return this.#sent("DELETE", `${TICKETS}/${id}`, options); }

  /** The player's public name and what stands beside it. @param {CallOptions} [options] @returns {Promise<Result<"get_own_profile">>} */
  profile(options) { return this.#sent("GET", PROFILE, options); }

  /**
   * Create or change the player's profile: the public name, with which rated games begin.
   *
   * @param {Body<"put_profile">} profile
   * @param {CallOptions} [options]
   * @returns {Promise<Result<"put_profile">>}
   */
  putProfile(profile, options) { return this.#sent("PUT", PROFILE, { ...options, body: profile }); }

  /** Delete the player's profile; rated games and ratings stay, without the name. @param {CallOptions} [options] @returns {Promise<void>} */
  deleteProfile(options) { return this.#sent("DELETE", PROFILE, options); }

  /**
   * Replace the key; after an error call it again with the same key. Webhooks of the old key are disabled.
   *
   * @param {string} [key]
   * @param {CallOptions & {keepWebhooks?: boolean}} [options] `keepWebhooks` leaves them active.
   */
  async replaceKey(key = newKey(), { keepWebhooks = false, ...options } = {}) {
    key = credential(key);
    await this.#sent("PUT", `${PLAYER}/key`, { ...options, body: { key, keep_webhooks: keepWebhooks } });
    this.#key = key;
    return key;
  }
}
