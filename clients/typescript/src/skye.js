import { Catalogue } from "./catalogue.js";
import { Games } from "./games.js";
import { Player } from "./player.js";
import { Game } from "./resources.js";
import { Transport } from "./transport.js";

/** A client of one Isle of Skye server. */
export class Skye {
  /**
   * @param {string} [url] The address of the server; in a browser, by default, the one that served the page.
   * @param {ConstructorParameters<typeof Transport>[1]} [options]
   */
  constructor(url = globalThis.location?.origin ?? "http://127.0.0.1:8000", options) {
    this.transport = new Transport(url, options);
    this.games = new Games(this.transport);
    this.catalogue = new Catalogue(this.transport);
  }

  /**
   * Return the resource of one game, as a seat, the host or a spectator; sends no request.
   *
   * @param {string} id
   * @param {string | null} [token]
   */
  game(id, token = null) {
    return new Game(this.transport, id, token);
  }

  /** Return the resource of one player, with a new random key by default. @param {string} [key] */
  player(key) {
    return new Player(this.transport, key);
  }
}
