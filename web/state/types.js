/** Types only: no page loads this module. */

/**
 * @typedef {object} Tokens The tokens that this browser has for one game.
 * @property {string[]} seats The tokens of our seats.
 * @property {string | null} host
 * @property {string | null} [invite] Our invitation code, until it is used.
 * @property {string} [over] Why our invitation is no longer valid; `lost` if we no longer have our seat of the lobby.
 * @property {string | null} [watch] The code with which we watch a private game.
 * @property {{id: string, code: string, number: number, copied?: boolean}[]} [invitations] The invitations of others, as the
 *   host, each with the number that the host sees and whether its link was copied.
 * @property {string[]} [rematch] The names of the players of the old game, whose seats are reserved in its rematch.
 * @property {{token: string, seat: number, event: number} | null} [lobby] Which seat a token had in the lobby, and the last
 *   event then.
 * @property {number} [saved] When this browser got its first token of the game, in milliseconds since 1970.
 */

/**
 * @typedef {object} Cell A cell of the board.
 * @property {number} x
 * @property {number} y
 * @property {string | null} tile
 * @property {number} rotation
 * @property {number} turns How many rotations of the chosen tile are legal here.
 * @property {number | null} best What the best of them adds in this round.
 * @property {import("../game/edges.js").Side[]} sides The sides with glyphs.
 * @property {boolean} ghost
 * @property {boolean} waiting Whether the server has not confirmed the tile yet.
 * @property {boolean} highlighted
 * @property {boolean[]} rim At which sides (north, east, south, west) the highlighted area ends.
 * @property {boolean} fresh Whether the tile was placed when its player built last.
 */

/**
 * @typedef {object} Offer A tile in the market.
 * @property {string} tile
 * @property {number | null} price
 * @property {boolean | null} discard
 * @property {number} owner
 * @property {import("./api.js").Player | null} buyer
 */

/** @typedef {import("../../clients/typescript/src/resources.js").Result<"list_places">["places"][number]} Place */
/**
 * @typedef {import("./store.js").Placed & Partial<Place>} Legal A legal placement, with its gains once they are known.
 */

export {};
