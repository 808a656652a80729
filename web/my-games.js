import { PREFIX, saveTokens, memory, persistent, tokensOf } from "./tokens.js";

/** @param {string} id @param {string} token The token of a seat, of the host, or an invitation. */
export function dropToken(id, token) {
  const tokens = tokensOf(id);
  const other = (/** @type {string} */ one) => one !== token;
  saveTokens(id, {
    seats: tokens.seats.filter(other), host: tokens.host === token ? null : tokens.host,
    invite: tokens.invite === token ? null : tokens.invite, invites: tokens.invites?.filter(other),
  });
}

/** @param {string} id */
export function forget(id) {
  memory.delete(id);
  if (persistent) localStorage.removeItem(PREFIX + id);
}

/** The ids of all games that this browser has tokens of, newest first. */
export function myGames() {
  if (!persistent) return [...memory.keys()].reverse();
  const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? "");
  return keys.filter((key) => key.startsWith(PREFIX)).map((key) => key.slice(PREFIX.length));
}
