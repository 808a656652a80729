import { loadItem, saveItem } from "./items.js";

/** @typedef {import("./types.js").Tokens} Tokens */

export const PREFIX = "skye.game.";

/** @param {string} id @returns {Tokens} */
export function tokensOf(id) {
  try {
    const stored = JSON.parse(loadItem(PREFIX + id) ?? "null");
    if (stored && Array.isArray(stored.seats)) return { host: null, ...stored };
  } catch {
    /* corrupt: treated as missing */
  }
  return { seats: [], host: null };
}

/** Change some of the tokens of a game. @param {string} id @param {Partial<Tokens>} changes */
export function saveTokens(id, changes) {
  saveItem(PREFIX + id, JSON.stringify({ saved: Date.now(), ...tokensOf(id), ...changes }));
}

/** @param {string} id @param {string} token */
export function addSeatToken(id, token) {
  const { seats } = tokensOf(id);
  if (!seats.includes(token)) saveTokens(id, { seats: [...seats, token], over: undefined });
}

/**
 * Return the token to open a game with: of a seat, otherwise of the host, otherwise a code to join or to watch.
 *
 * @param {string} id
 * @param {number} [chosen]
 */
export function tokenFor(id, chosen = 0) {
  const { seats, host, invite, watch } = tokensOf(id);
  return seats[chosen] ?? seats[0] ?? host ?? invite ?? watch ?? null;
}

/**
 * Return the tokens in the fragment of a link: of a seat, of the host, to take a seat, to watch.
 *
 * @returns {(string | null)[]}
 */
function tokensInFragment() {
  const given = new URLSearchParams(location.hash.slice(1));
  return ["seat", "host", "invite", "watch"].map((name) => given.get(name));
}

/**
 * Load the page again when a link is pasted into the address of the page that it leads to: the browser only changes
 * the fragment.
 */
export function followPastedLinks() {
  addEventListener("hashchange", () => {
    if (tokensInFragment().some(Boolean)) location.reload();
  });
}

/**
 * Move the tokens of a link from the URL's fragment into the storage. Tokens never stay in a URL.
 *
 * @param {string} id
 * @returns {string | null} A host token that would replace another one: the player decides.
 */
export function takeFromFragment(id) {
  const [seat, host, invite, watch] = tokensInFragment();
  if (!seat && !host && !invite && !watch) return null;
  const { host: stored } = tokensOf(id);
  const replaces = host && stored && host !== stored;
  if (seat) addSeatToken(id, seat);
  if (host && !replaces) saveTokens(id, { host });
  if (invite) saveTokens(id, { invite, over: undefined });
  if (watch) saveTokens(id, { watch });
  history.replaceState(null, "", location.pathname + location.search);
  return replaces ? host : null;
}
