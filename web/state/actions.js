/** @typedef {import("./api.js").Action} Action */
/** @typedef {Pick<import("./api.js").Game, "status" | "phase" | "round" | "version" | "waiting_for" | "you">} View */
/**
 * @typedef {object} Moment What a list of legal actions belongs to.
 * @property {string} turn A phase, and while tiles are bought a turn: a list of another one is never shown.
 * @property {number} version The version of the game: a list of another one is shown until the next list arrives.
 * @property {boolean} mine Whether our seat must act, since the events of one version may arrive one by one.
 */
/**
 * What is known about the legal actions of our seat.
 *
 * @typedef {object} Known
 * @property {{moment: Moment, list: Action[]} | null} listed The latest list.
 * @property {Moment | null} requested What the request in progress is for.
 */

/** @type {Known} */
export const NOTHING_KNOWN = { listed: null, requested: null };

/** Return the current moment of a view; null where our seat has no actions. @param {View} view @returns {Moment | null} */
export function momentOf({ status, phase, round, version, waiting_for: waiting, you: { seat } }) {
  if (seat === null || status !== "playing") return null;
  const mine = waiting.includes(seat);
  return { turn: `${round}.${phase}.${phase === "buying" && mine}`, version, mine };
}

/**
 * Return the legal actions of our seat, also those of an earlier version of the same turn; null while unknown.
 *
 * @param {Known} known
 * @param {View} view
 * @returns {Action[] | null}
 */
export function actionsIn({ listed }, view) {
  const moment = momentOf(view);
  if (!moment) return null;
  if (!mayAct(view, moment)) return [];
  return listed?.moment.turn === moment.turn ? listed.list : null;
}

/**
 * Return the moment whose actions should be requested; null if they are known or requested already.
 *
 * @param {Known} known
 * @param {View} view
 */
export function momentToRequest({ listed, requested }, view) {
  const moment = momentOf(view);
  if (!moment || !mayAct(view, moment)) return null;
  return [listed?.moment, requested].some((other) => other && same(other, moment)) ? null : moment;
}

/** Whether our seat can have actions: while others buy, it has none. @param {View} view @param {Moment} moment */
function mayAct({ phase }, { mine }) {
  return mine || phase !== "buying";
}

/** @param {Moment} a @param {Moment} b */
function same(a, b) {
  return a.turn === b.turn && a.version === b.version && a.mine === b.mine;
}
