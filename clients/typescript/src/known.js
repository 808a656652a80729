/** @import { components } from "../types/contract.js" */
/** @typedef {components["schemas"]} Schemas */

/**
 * The members of a union that this version knows. The contract allows further types in later versions, and a member
 * whose `type` is any string keeps the compiler from narrowing the union.
 *
 * @template T
 * @typedef {T extends {type: infer Type} ? (string extends Type ? never : T) : never} Known
 */
/**
 * @template T
 * @typedef {{[Type in Known<T>["type"]]: 1}} Types
 */

/** @type {Types<Schemas["Action"]>} */
const ACTIONS = {
  set_offer: 1, buy: 1, pass: 1, place: 1, take_back: 1, finish_building: 1, return: 1,
};

/** @type {Types<Schemas["Event"]>} */
const EVENTS = {
  game_created: 1, player_joined: 1, player_left: 1, player_changed: 1, token_rotated: 1,
  host_token_rotated: 1, invitation_created: 1, invitation_accepted: 1, invitation_revoked: 1, game_started: 1, position_set: 1, record_replayed: 1,
  bot_took_over: 1, seat_returned: 1, bot_changed: 1, timed_out: 1, takeover_requested: 1, end_changed: 1,
  turn_changed: 1, time_added: 1, clock_advanced: 1, game_paused: 1, game_resumed: 1, proposal_made: 1, proposal_answered: 1, proposal_ended: 1, game_aborted: 1, round_started: 1, income_paid: 1, tiles_drawn: 1,
  offer_set: 1, offers_revealed: 1, tiles_discarded: 1, tile_bought: 1, purchase_passed: 1, tiles_kept: 1,
  tile_placed: 1, placement_taken_back: 1, building_finished: 1, round_scored: 1, game_finished: 1,
};

/** @type {Types<Schemas["PlayerEvent"]>} */
const PLAYER_EVENTS = {
  seat_taken: 1, your_turn: 1, deadline_near: 1, proposal_opened: 1, lobby_full: 1, seat_left: 1, game_over: 1,
  ticket_expired: 1, webhook_disabled: 1,
};

/**
 * Return whether the type of an action, event or recorded action is known to this version of the client.
 *
 * @template {{type: string}} T
 * @param {T} item
 * @returns {item is T & Known<T>}
 */
export function isKnown(item) {
  const id = "id" in item ? item.id : undefined;
  const types = typeof id === "string" ? PLAYER_EVENTS : typeof id === "number" ? EVENTS : ACTIONS;
  return Object.hasOwn(types, item.type);
}
