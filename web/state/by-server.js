/** @typedef {import("./api.js").Event} Event */

/** The moves of a seat: events that make a decision, or a part of one. */
export const MOVES = new Set([
  "offer_set",
  "tile_bought",
  "purchase_passed",
  "tile_placed",
  "placement_taken_back",
  "building_finished",
]);
/** A part of a decision: the server has more to do. */
const PARTS = new Set(["tile_placed", "placement_taken_back"]);

/**
 * @typedef {{events: Set<number>, acted: Set<number>}} Moves The events that the server made for seats, and the seats that
 * have acted themselves.
 */

/** The latest result: a log only grows. @type {{log: readonly Event[] | null, count: number, moves: Moves}} */
let latest = { log: null, count: 0, moves: { events: new Set(), acted: new Set() } };

/**
 * Return what the server did for seats: after a missed deadline, and while a seat is taken over.
 *
 * @param {readonly Event[]} log
 * @returns {Moves}
 */
export function movesByServer(log) {
  if (latest.log === log && latest.count === log.length) return latest.moves;
  const moves = { events: new Set(), acted: new Set() };
  const [late, taken] = [new Set(), new Set()];
  for (const { type, id, seat } of /** @type {any[]} */ (log)) {
    if (type === "timed_out") late.add(seat);
    else if (type === "bot_took_over") taken.add(seat);
    else if (type === "seat_returned") for (const seats of [late, taken]) seats.delete(seat);
    else if (MOVES.has(type)) {
      if (late.has(seat) || taken.has(seat)) moves.events.add(id);
      else moves.acted.add(seat);
      if (!PARTS.has(type)) late.delete(seat);
    }
  }
  latest = { log, count: log.length, moves };
  return moves;
}

/**
 * Return whether a seat has made a move itself.
 *
 * @param {readonly Event[]} log
 * @param {any} event
 * @param {number | null} seat
 */
export function isOwnMove(log, event, seat) {
  return event.seat === seat && MOVES.has(event.type) && !movesByServer(log).events.has(event.id);
}
