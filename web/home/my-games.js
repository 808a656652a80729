import { itemNames, saveItem } from "../state/items.js";
import { PREFIX, saveTokens, tokensOf } from "../state/tokens.js";

/** Remove the token of a seat or of the host, or an invitation code. @param {string} id @param {string} token */
export function dropToken(id, token) {
  const tokens = tokensOf(id);
  const other = (/** @type {string} */ one) => one !== token;
  const left = {
    seats: tokens.seats.filter(other), host: tokens.host === token ? null : tokens.host,
    invite: tokens.invite === token ? null : tokens.invite, watch: tokens.watch === token ? null : tokens.watch,
    invitations: tokens.invitations?.filter(({ code }) => other(code)),
  };
  if (left.seats.length || left.host || left.invite || left.watch) saveTokens(id, left);
  else forget(id);
}

/** Remove all tokens of a game. @param {string} id */
export function forget(id) {
  saveItem(PREFIX + id, null);
}

/** Return the ids of all games of which this browser has tokens, newest first. */
export function myGames() {
  const ids = itemNames().filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));
  const saved = new Map(ids.map((id) => [id, tokensOf(id).saved ?? 0]));
  return ids.sort((a, b) => (saved.get(b) ?? 0) - (saved.get(a) ?? 0));
}
