import { Catalogue } from "./catalogue.js";
import { Games } from "./games.js";
import { Ladders } from "./ladders.js";
import { Leagues } from "./leagues.js";
import { Player } from "./player.js";
import { Game, seatsOf } from "./resources.js";
import { Transport } from "./transport.js";

/** @import { Created } from "./resources.js" */
/** @import { SendOptions } from "./transport.js" */

/** A client of one Isle of Skye server. */
export class Skye {
  /**
   * @param {string} [url] The address of the server; in a browser, by default, the one that served the page.
   * @param {ConstructorParameters<typeof Transport>[1]} [options]
   */
  constructor(url = globalThis.location?.origin ?? "http://127.0.0.1:8000", options) {
    this.transport = new Transport(url, options);
    this.games = new Games(this.transport);
    this.leagues = new Leagues(this.transport);
    this.ladders = new Ladders(this.transport);
    this.catalogue = new Catalogue(this.transport);
  }

  /**
   * Send any request, such as one whose body a program builds; return the JSON of the response.
   *
   * @param {string} method
   * @param {string} path The whole path, such as `/v1/games`.
   * @param {unknown} [body] The JSON body, of any type.
   * @param {SendOptions} [options]
   * @returns {Promise<any>}
   */
  request(method, path, body, options) { return this.transport.json(method, path, { ...options, body }); }

  /**
   * Return the resource of one game, as a seat, the host or a spectator; sends no request.
   *
   * @param {string} id
   * @param {string | null} [token]
   */
  game(id, token = null) {
    return new Game(this.transport, id, token);
  }

  /**
   * Return the seats of a created game in order, each with its token; sends no request. The seats of bots have no token, and
   * that of a player has the key: see `Player.seats`.
   *
   * @param {Created} created What created the game returned.
   */
  seats(created) {
    return seatsOf(this.transport, created);
  }

  /**
   * Return a seat that was taken, with a token, by joining a game or a rematch; sends no request.
   *
   * @param {{game: {id: string}, seat: number, token: string | null}} taken
   */
  seat({ game, seat, token }) {
    return this.game(game.id, token).seat(seat);
  }

  /** Return the resource of one player, with a new random key by default. @param {string} [key] */
  player(key) {
    return new Player(this.transport, key);
  }
}
