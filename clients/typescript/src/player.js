import { EventFollower, PLAYER } from "./events.js";
import { Game } from "./resources.js";
import { randomKey } from "./transport.js";

/** @import { components } from "../types/contract.js" */
/** @import { FollowOptions } from "./events.js" */
/** @import { Body, CallOptions, Result } from "./resources.js" */
/** @import { RequestOptions, Transport } from "./transport.js" */
/** @typedef {components["schemas"]["PlayerEvent"]} PlayerEvent */

const TICKETS = "/v1/matchmaking/tickets";
const newKey = () => `skye_key_${randomKey()}`;

/** A player, identified by a player key, which acts for the player's seats in all games. */
export class Player {
  /** @param {Transport} transport @param {string} [key] A new random one by default; it cannot be recovered. */
  constructor(transport, key = newKey()) {
    this.transport = transport;
    this.key = key;
  }

  /** @param {string} method @param {string} path @param {RequestOptions} [options] @returns {Promise<any>} */
  request(method, path, options) {
    return this.transport.json(method, path, { token: this.key, ...options });
  }

  /** Return one game, for this player. @param {string} id */
  game(id) { return new Game(this.transport, id, this.key); }

  /** @param {Body<"create_game">} [body] @param {CallOptions} [options] @returns {Promise<Result<"create_game">>} */
  create(body = {}, options) { return this.request("POST", "/v1/games", { ...options, body }); }

  /** @param {{limit?: number, cursor?: string}} [query] @param {CallOptions} [options] @returns {Promise<Result<"list_own_games">>} */
  games(query, options) { return this.request("GET", `${PLAYER}/games`, { ...options, query }); }

  /** Return an iterable over the events of all games of the player, without end. @param {FollowOptions} [options] @returns {EventFollower<PlayerEvent>} */
  events(options) { return new EventFollower(this.transport, PLAYER, this.key, options); }

  /** @param {Body<"create_ticket">} ticket @param {CallOptions} [options] @returns {Promise<Result<"create_ticket">>} */
  createTicket(ticket, options) { return this.request("POST", TICKETS, { ...options, body: ticket }); }

  /** The tickets that wait. @param {CallOptions} [options] @returns {Promise<Result<"list_tickets">["tickets"]>} */
  async tickets(options) { return (await this.request("GET", TICKETS, options)).tickets; }

  /** @param {string} id @param {CallOptions} [options] @returns {Promise<Result<"get_ticket">>} */
  ticket(id, options) { return this.request("GET", `${TICKETS}/${id}`, options); }

  /** @param {string} id @param {CallOptions} [options] @returns {Promise<Result<"cancel_ticket">>} */
  cancelTicket(id, options) { return this.request("DELETE", `${TICKETS}/${id}`, options); }

  /** Replace the key; after an error call it again with the same key. @param {string} [key] @param {CallOptions} [options] */
  async replaceKey(key = newKey(), options) {
    await this.request("PUT", `${PLAYER}/key`, { ...options, body: { key } });
    this.key = key;
    return key;
  }
}
