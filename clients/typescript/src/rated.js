import { ApiError, ConnectionFailedError, SkyeError, UnexpectedResponseError } from "./errors.js";
import { isFinal } from "./events.js";
import { backoff, sleep } from "./transport.js";

/** @import { Player } from "./player.js" */
/** @import { Skye } from "./skye.js" */

/** @typedef {Awaited<ReturnType<Skye["ladders"]["list"]>>[number]} Ladder */

const TTL_MS = 3_600_000;
/** How often a ticket that waits, and a game that goes on, are looked at. */
const LOOK_MS = 2000, RESULT_MS = 5000;
const OUTAGE_MS = 5000;
/** For how long a program that ends tries to cancel its ticket. */
const CANCEL_MS = 2000;

/**
 * Return the ladder of a server with an id.
 *
 * @param {Skye} client
 * @param {string} id
 * @param {AbortSignal} signal
 * @returns {Promise<Ladder>}
 * @throws {SkyeError} The server has no such ladder.
 */
export async function ladderOf(client, id, signal) {
  const ladders = await client.ladders.list({ signal });
  const found = ladders.find((each) => each.id === id);
  if (!found) throw new SkyeError(`The server has no ladder ${JSON.stringify(id)}, but ${ladders.map((each) => each.id).join(", ") || "none"}`);
  return found;
}

/**
 * Return the name of a player's profile; claim one if there is none.
 *
 * @param {Player} player
 * @param {string} [name]
 * @throws {SkyeError} There is no profile, and no name to claim; or the player has another name.
 */
export async function claim(player, name) {
  const found = await player.profile().catch((error) => {
    if (!(error instanceof ApiError) || error.code !== "profile_not_found") throw error;
    return null;
  });
  if (found && name && found.name !== name) throw new SkyeError(`This key has the name ${found.name}, not ${name}`);
  if (found) return found.name;
  if (!name) throw new SkyeError("This key has no profile yet: `name` claims one");
  return (await player.putProfile({ name, bot: true })).name;
}

/**
 * Wait on a ladder, and report the result of each game, until `signal` aborts. Something else decides, such as `host`.
 *
 * @param {Skye} client
 * @param {Player} player
 * @param {string} name
 * @param {Ladder} ladder
 * @param {(line: string) => void} report
 * @param {AbortSignal} signal
 */
export async function playRated(client, player, name, ladder, report, signal) {
  const { id: ladderId, seat_count, turn_ms } = ladder;
  const ticket = { name, seat_count, rated: true, ttl_ms: TTL_MS, options: { turn_ms } };
  while (!signal.aborted) {
    const id = await throughOutages(() => matched(player, ticket, signal), signal);
    if (id) report(await throughOutages(() => resultOf(client, player, name, ladderId, id, signal), signal));
  }
}

/**
 * Return what a request returns, which is sent again after a failure that a retry can mend.
 *
 * @template T
 * @param {() => Promise<T>} request
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
async function throughOutages(request, signal) {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      const isFailed = error instanceof ApiError || error instanceof ConnectionFailedError || error instanceof UnexpectedResponseError;
      if (signal.aborted || !isFailed || isFinal(error)) throw error;
    }
    await sleep(backoff(1, OUTAGE_MS, OUTAGE_MS), signal);
  }
}

/**
 * Wait with a ticket for opponents; return the id of the game, null if the ticket has ended. A program that ends
 * cancels its ticket: no game begins that it would not play.
 *
 * @param {Player} player
 * @param {Parameters<Player["createTicket"]>[0]} ticket
 * @param {AbortSignal} signal
 */
async function matched(player, ticket, signal) {
  let found = await player.createTicket(ticket, { signal });
  try {
    for (; found.status === "waiting"; found = await player.ticket(found.id, { signal })) await sleep(LOOK_MS, signal);
  } catch (error) {
    if (signal.aborted) await player.cancelTicket(found.id, { signal: AbortSignal.timeout(CANCEL_MS) }).catch(() => {});
    throw error;
  }
  return found.game_id;
}

/**
 * Wait for the end of a game; return the line of its result.
 *
 * @param {Skye} client
 * @param {Player} player
 * @param {string} name
 * @param {string} ladder
 * @param {string} id
 * @param {AbortSignal} signal
 */
async function resultOf(client, player, name, ladder, id, signal) {
  const game = player.game(id);
  let view = await game.get({ signal });
  for (; view.status === "playing"; view = await game.get({ signal })) await sleep(RESULT_MS, signal);
  const { you: { seat }, result, rated } = view;
  if (!result || !rated || seat === null) return `${id}: ${view.status}`;
  const line = `${id}: place ${result.placing.find((each) => each.seat === seat)?.place} of ${view.players.length}`;
  const { ratings } = await client.ladders.player(name, { signal });
  const rating = ratings.find((each) => each.ladder === ladder);
  if (!rating) return line;
  const gained = rating.rating - rated.players[seat].rating;
  return `${line}, rating ${rating.rating} (${gained < 0 ? "" : "+"}${gained})`;
}
