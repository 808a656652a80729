/** @typedef {{seats: string[], host: string | null, name?: string}} Tokens */

const PREFIX = "skye.game.";
/** Where nothing can be stored, tokens last as long as the page. @type {Map<string, Tokens>} */
const memory = new Map();

/** Whether tokens outlive this page. */
export const persistent = (() => {
  try {
    localStorage.setItem("skye.test", "1");
    localStorage.removeItem("skye.test");
    return true;
  } catch {
    return false;
  }
})();

/** @param {string} id @returns {Tokens} */
export function tokensOf(id) {
  try {
    const stored = persistent ? JSON.parse(localStorage.getItem(PREFIX + id) ?? "null") : memory.get(id);
    if (stored && Array.isArray(stored.seats)) return { host: null, ...stored };
  } catch { /* as if there were none */ }
  return { seats: [], host: null };
}

/**
 * @param {string} id
 * @param {Tokens} tokens
 */
export function keepTokens(id, tokens) {
  if (persistent) localStorage.setItem(PREFIX + id, JSON.stringify(tokens));
  else memory.set(id, tokens);
}

/**
 * @param {string} id
 * @param {string} token
 */
export function addSeatToken(id, token) {
  const tokens = tokensOf(id);
  if (!tokens.seats.includes(token)) keepTokens(id, { ...tokens, seats: [...tokens.seats, token] });
}

/** @param {string} id @param {string} token */
export function dropToken(id, token) {
  const tokens = tokensOf(id);
  keepTokens(id, {
    ...tokens, seats: tokens.seats.filter((one) => one !== token), host: tokens.host === token ? null : tokens.host,
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

/**
 * Move the tokens of a link from its fragment into the storage. Tokens never stay in an address.
 *
 * @param {string} id
 */
export function takeFromFragment(id) {
  const given = new URLSearchParams(location.hash.slice(1));
  const [seat, host] = [given.get("seat"), given.get("host")];
  if (!seat && !host) return;
  if (seat) addSeatToken(id, seat);
  if (host) keepTokens(id, { ...tokensOf(id), host });
  history.replaceState(null, "", location.pathname + location.search);
}

/**
 * The address that opens a seat of a game.
 *
 * @param {string} id
 * @param {string} token
 */
export function seatLink(id, token) {
  return `${location.origin}/play/?game=${encodeURIComponent(id)}#seat=${token}`;
}

/** The address to watch a game. @param {string} id */
export function watchLink(id) {
  return `${location.origin}/play/?game=${encodeURIComponent(id)}`;
}
