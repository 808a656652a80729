import { ApiError } from "../../clients/typescript/src/errors.js";
import { skye } from "../state/api.js";
import { itemNames, saveItem } from "../state/items.js";
import { PREFIX, saveTokens, tokenFor, tokensOf } from "../state/tokens.js";

/** The errors for a token that is no longer one of the game. */
const REFUSALS = ["token_unknown", "game_not_found", "invitation_over"];

/** Remove the token of a seat or of the host, or an invitation code. @param {string} id @param {string} token */
export function dropToken(id, token) {
  const tokens = tokensOf(id);
  const other = (/** @type {string} */ one) => one !== token;
  const left = {
    seats: tokens.seats.filter(other),
    host: tokens.host === token ? null : tokens.host,
    invite: tokens.invite === token ? null : tokens.invite,
    watch: tokens.watch === token ? null : tokens.watch,
    invitations: tokens.invitations?.filter(({ code }) => other(code)),
  };
  if (left.seats.length || left.host || left.invite || left.watch) saveTokens(id, left);
  else forget(id);
}

/**
 * Remove a token that the server refuses, and no other one: of a public game it is unknown, of a private game there is none for it.
 *
 * @param {string} id
 * @param {string | null} token
 * @param {unknown} error
 * @returns {boolean} Whether the game can still be opened: with the next token, or a public game without one.
 */
export function dropRefused(id, token, error) {
  if (!token || !(error instanceof ApiError) || !REFUSALS.includes(error.code)) return false;
  const { lobby } = tokensOf(id);
  dropToken(id, token);
  if (error.code === "invitation_over") saveTokens(id, { over: error.params.invitation_end });
  else if (lobby?.token === token) saveTokens(id, { over: "lost", lobby });
  return tokenFor(id) !== null || error.code !== "game_not_found";
}

/** Load a game with the first of our tokens that the server accepts. @param {string} id */
export async function loadGame(id) {
  for (;;) {
    const token = tokenFor(id);
    const game = skye.game(id, token);
    try {
      return { game, token, view: await game.get() };
    } catch (error) {
      if (!dropRefused(id, token, error)) throw error;
    }
  }
}

/** Remove all tokens of a game. @param {string} id */
export function forget(id) {
  saveItem(PREFIX + id, null);
}

/** Return the ids of all games of which this browser has tokens, newest first. */
export function myGames() {
  const ids = itemNames()
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length));
  const saved = new Map(ids.map((id) => [id, tokensOf(id).saved ?? 0]));
  return ids.sort((a, b) => (saved.get(b) ?? 0) - (saved.get(a) ?? 0));
}
