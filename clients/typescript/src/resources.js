import { readText } from "./bodies.js";
import { EventFollower } from "./events.js";
import { credential, waiting } from "./transport.js";

/** @import { components, operations } from "../types/contract.js" */
/** @import { Transport, RequestOptions, SendOptions } from "./transport.js" */
/** @import { FollowOptions } from "./events.js" */
/** @typedef {components["schemas"]["Game"]} GameData */
/** @typedef {components["schemas"]["Action"]} Action */
/** @typedef {Pick<RequestOptions, "signal" | "query" | "idempotencyKey" | "ifMatch" | "retry" | "timeoutMs">} CallOptions */
/** @typedef {components["schemas"]["LandscapeTileId"]} LandscapeTileId */

/**
 * The response of an operation of the contract.
 *
 * @template {keyof operations} Id
 * @typedef {operations[Id] extends {responses: {200: {content: {"application/json": infer Body}}}} ? Body
 *   : operations[Id] extends {responses: {201: {content: {"application/json": infer Body}}}} ? Body : never} Result
 */

/**
 * The request body of an operation of the contract.
 *
 * @template {keyof operations} Id
 * @typedef {operations[Id] extends {requestBody?: {content: {"application/json": infer Body}}} ? Body : never} Body
 */

/**
 * Send a request about a game or a seat, with the token of the game.
 *
 * @param {Game | Seat} of
 * @param {string} method
 * @param {string} path What follows the path of the game or seat.
 * @param {RequestOptions} [options]
 * @returns {Promise<any>}
 */
function sent(of, method, path, options) {
  const { transport, token, path: base } = of instanceof Seat ? of.game : of;
  const seat = of instanceof Seat ? `/players/${of.number}` : "";
  return transport.json(method, base + seat + path, { token, ...options });
}

/** One game, as a seat, the host or a spectator. */
export class Game {
  /** Private, so that `console.log` does not show it. @type {string | null} */
  #token;

  /** @param {Transport} transport @param {string} id @param {string | null} [token] */
  constructor(transport, id, token = null) {
    this.transport = transport;
    this.id = id;
    this.#token = credential(token);
    this.path = `/v1/games/${encodeURIComponent(id)}`;
  }

  /** The token of a seat or of the host; null for a spectator. */
  get token() { return this.#token; }
  set token(token) { this.#token = credential(token); }

  /**
   * Send any request about this game, as `Skye.request` does.
   *
   * @param {string} method
   * @param {string} path What follows the path of the game.
   * @param {unknown} [body]
   * @param {SendOptions} [options]
   * @returns {Promise<any>}
   */
  request(method, path, body, options) { return sent(this, method, path, { ...options, body }); }

  /** @param {CallOptions} [options] @returns {Promise<GameData>} */
  get(options) { return sent(this, "GET", "", options); }

  /**
   * Return the view of the game for the caller after an event.
   *
   * @param {number} event
   * @param {CallOptions} [options]
   * @returns {Promise<GameData>}
   */
  at(event, options) { return sent(this, "GET", "", { ...options, query: { at_event: event } }); }

  /** @param {Body<"join_game">} player @param {CallOptions} [options] @returns {Promise<Result<"join_game">>} */
  join(player, options) {
    const body = "invite_code" in player && player.invite_code ? { ...player, invite_code: credential(player.invite_code) } : player;
    return sent(this, "POST", "/players", { ...options, body });
  }

  /**
   * Reserve a seat, as the host; return the invitation with the code for the invited player.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<Result<"create_invitation">>}
   */
  invite(options) { return sent(this, "POST", "/invitations", options); }

  /** @param {CallOptions} [options] @returns {Promise<Result<"list_players">["players"]>} The seats that are taken. */
  async players(options) { return (await sent(this, "GET", "/players", options)).players; }

  /** @param {CallOptions} [options] @returns {Promise<Result<"list_invitations">["invitations"]>} The unused ones. */
  async invitations(options) { return (await sent(this, "GET", "/invitations", options)).invitations; }

  /** @param {string} id @param {CallOptions} [options] @returns {Promise<GameData>} */
  revokeInvitation(id, options) { return sent(this, "DELETE", `/invitations/${encodeURIComponent(id)}`, options); }

  /** @param {CallOptions} [options] @returns {Promise<string>} The code with which spectators read a private game. */
  async watchCode(options) { return (await sent(this, "GET", "/watch-code", options)).code; }

  /** @param {CallOptions} [options] @returns {Promise<GameData>} */
  start(options) { return sent(this, "POST", "/start", options); }

  /** @param {CallOptions} [options] @returns {Promise<GameData>} */
  abort(options) { return sent(this, "POST", "/abort", options); }

  /** Pause the game; propose it to the others if several people play. @param {CallOptions} [options] @returns {Promise<GameData>} */
  pause(options) { return sent(this, "POST", "/pause", options); }

  /** End the pause of the game. @param {CallOptions} [options] @returns {Promise<GameData>} */
  resume(options) { return sent(this, "POST", "/resume", options); }

  /** Delete the game, which must be over, as the host. @param {CallOptions} [options] @returns {Promise<void>} */
  delete(options) { return sent(this, "DELETE", "", options); }

  /**
   * Take the caller's seat in the rematch of this game; the first call creates it. Only its host may name the first seat.
   *
   * @param {CallOptions & Partial<Body<"rematch">>} [options]
   * @returns {Promise<Result<"rematch">>}
   */
  rematch({ first_seat, ...options } = {}) {
    return sent(this, "POST", "/rematch", { ...options, ...(first_seat === undefined ? {} : { body: { first_seat } }) });
  }

  /**
   * Replace the host token; this object sends the new one from now on.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<Result<"rotate_host_token">>}
   */
  async rotateHostToken(options) {
    const rotated = await sent(this, "POST", "/host-token", options);
    this.token = rotated.host_token;
    return rotated;
  }

  /**
   * Return the rematch of this game, or null while there is none.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<Result<"get_rematch">["game"]>}
   */
  async findRematch(options) { return (await sent(this, "GET", "/rematch", options)).game; }

  /**
   * Return an iterable over the events of the game until it is over; it reconnects by itself.
   *
   * @param {FollowOptions} [options]
   */
  events(options) { return new EventFollower(this.transport, this.path, this.token, options); }

  /**
   * Return one page of events.
   *
   * @param {{after?: number, limit?: number, wait_ms?: number}} [query]
   * @param {CallOptions} [options]
   * @returns {Promise<Result<"list_events">>}
   */
  eventPage(query, options) { return sent(this, "GET", "/events", { ...waiting(this.transport, query), ...options, query }); }

  /** @param {number} round @param {CallOptions} [options] @returns {Promise<Result<"get_round">>} */
  round(round, options) { return sent(this, "GET", `/rounds/${round}`, options); }

  /** @param {CallOptions} [options] @returns {Promise<Result<"list_rounds">["rounds"]>} Those that have begun. */
  async rounds(options) { return (await sent(this, "GET", "/rounds", options)).rounds; }

  /** @param {CallOptions} [options] @returns {Promise<Result<"get_record">>} */
  record(options) { return sent(this, "GET", "/record", options); }

  /**
   * Return the position without hidden information; other games can start from it.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<Result<"get_position">>}
   */
  position(options) { return sent(this, "GET", "/position", options); }

  /**
   * Advance the manual clock, as the host.
   *
   * @param {number} advanceMs
   * @param {CallOptions} [options]
   * @returns {Promise<GameData>}
   */
  advanceClock(advanceMs, options) {
    return sent(this, "POST", "/clock", { ...options, body: { advance_ms: advanceMs } });
  }

  /** @param {CallOptions} [options] @returns {Promise<Result<"get_scores">>} */
  scores(options) { return sent(this, "GET", "/scores", options); }

  /** @param {number} number */
  seat(number) { return new Seat(this, number); }
}

/** One seat of a game. */
export class Seat {
  /** @param {Game} game @param {number} number */
  constructor(game, number) {
    this.game = game;
    this.number = number;
  }

  /**
   * Send any request about this seat, as `Skye.request` does.
   *
   * @param {string} method
   * @param {string} path What follows the path of the seat.
   * @param {unknown} [body]
   * @param {SendOptions} [options]
   * @returns {Promise<any>}
   */
  request(method, path, body, options) { return sent(this, method, path, { ...options, body }); }

  /**
   * Change the name or the colour of the player in the lobby.
   *
   * @param {Body<"change_player">} changes
   * @param {CallOptions} [options]
   * @returns {Promise<GameData>}
   */
  change(changes, options) { return sent(this, "PATCH", "", { ...options, body: changes }); }

  /** Leave the lobby; the host may remove another player. @param {CallOptions} [options] @returns {Promise<GameData>} */
  leave(options) { return sent(this, "DELETE", "", options); }

  /** Resign from a game that has begun: a bot plays for the seat. @param {CallOptions} [options] @returns {Promise<GameData>} */
  resign(options) { return sent(this, "POST", "/resign", options); }

  /** Take the seat back that a bot took over after a missed deadline. @param {CallOptions} [options] @returns {Promise<GameData>} */
  returnToSeat(options) { return sent(this, "POST", "/return", options); }

  /** Ask for this seat to be taken over, as the player of another: see `agreements` of that seat. @param {CallOptions} [options] @returns {Promise<GameData>} */
  requestTakeover(options) { return this.request("POST", "/takeover", options); }

  /**
   * Accept or refuse the open proposal; the seat that made it withdraws it with false.
   *
   * @param {boolean} accept
   * @param {CallOptions} [options]
   * @returns {Promise<GameData>}
   */
  answerProposal(accept, options) { return sent(this, "POST", "/proposal", { ...options, body: { accept } }); }

  /**
   * Replace the token of the seat; the game of this object sends the new token from now on.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<Result<"rotate_token">>}
   */
  async rotateToken(options) {
    const taken = await sent(this, "POST", "/token", options);
    this.game.token = taken.token;
    return taken;
  }

  /**
   * Return the legal actions, each with a request that `act` sends. `isKnown` tells types of this version from newer ones.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<Action[]>}
   */
  async actions(options) { return (await sent(this, "GET", "/actions", options)).actions; }

  /**
   * Send an action of `actions` unchanged; its type may be newer than this client.
   *
   * @param {{method: string, href: string, body?: unknown}} action
   * @param {CallOptions} [options]
   * @returns {Promise<GameData>}
   */
  act(action, options) {
    const { transport, token } = this.game;
    return transport.json(action.method, action.href, { token, body: action.body, ...options });
  }

  /** @param {Body<"set_offer">} offer @param {CallOptions} [options] @returns {Promise<GameData>} */
  setOffer(offer, options) { return sent(this, "PUT", "/offer", { ...options, body: offer }); }

  /** @param {LandscapeTileId} tile @param {CallOptions} [options] @returns {Promise<GameData>} */
  buy(tile, options) { return sent(this, "PUT", "/purchase", { ...options, body: { tile } }); }

  /** @param {CallOptions} [options] @returns {Promise<GameData>} */
  passTurn(options) { return sent(this, "PUT", "/purchase", { ...options, body: { tile: null } }); }

  /** @param {CallOptions} [options] @returns {Promise<Result<"get_purchase">>} */
  purchase(options) { return sent(this, "GET", "/purchase", options); }

  /** @param {Body<"place_tile">} placement @param {CallOptions} [options] @returns {Promise<GameData>} */
  place(placement, options) { return sent(this, "POST", "/placements", { ...options, body: placement }); }

  /**
   * Take back the last placement of this round.
   *
   * @param {number} number The number of the placement in this round, from 1.
   * @param {CallOptions} [options]
   * @returns {Promise<GameData>}
   */
  takeBack(number, options) { return sent(this, "DELETE", `/placements/${number}`, options); }

  /** @param {CallOptions} [options] @returns {Promise<GameData>} */
  finishBuilding(options) { return sent(this, "POST", "/building/finish", options); }

  /**
   * Return every legal placement of some tiles, with the change that each would make.
   *
   * @param {LandscapeTileId[]} tiles At most 8.
   * @param {CallOptions} [options]
   * @returns {Promise<Result<"list_places">>}
   */
  places(tiles, options) { return sent(this, "GET", "/places", { ...options, query: { tile: tiles } }); }

  /** @param {Body<"try_placements">["placements"]} placements @param {CallOptions} [options] @returns {Promise<Result<"try_placements">>} */
  whatIf(placements, options) { return sent(this, "POST", "/what-if", { ...options, body: { placements } }); }

  /** @param {CallOptions} [options] @returns {Promise<Result<"get_territory">>} */
  territory(options) { return sent(this, "GET", "/territory", options); }

  /**
   * Return the picture of the territory, as SVG.
   *
   * @param {{coordinates?: boolean}} [query] Whether the picture shows the coordinates.
   * @param {CallOptions} [options]
   * @returns {Promise<string>}
   */
  territorySvg(query, options) {
    const { transport, token, path } = this.game;
    return transport.send("GET", `${path}/players/${this.number}/territory/picture.svg`, { token, accept: "image/svg+xml", ...options, query }, readText);
  }
}

/** @typedef {{game?: {id: string}, game_id?: string, players: {seat: number, token: string | null}[]}} Created */

/**
 * Return the seats of a created game in order, each with its token.
 *
 * @param {Transport} transport
 * @param {Created} created
 * @param {string | null} [key] The player key for seats without a token.
 */
export function seatsOf(transport, { game, game_id = game?.id ?? "", players }, key = null) {
  return players.map(({ seat, token }) => new Game(transport, game_id, token ?? key).seat(seat));
}
