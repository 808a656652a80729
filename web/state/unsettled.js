/** @typedef {{placement: import("./store.js").Placed, key: string, seat: string | null}} Unconfirmed A placement without a response so far. */

/** Save the unconfirmed placement of a game, null for none. @param {string} id @param {Unconfirmed | null} value */
export function saveUnconfirmed(id, value) {
  try {
    if (value === null) sessionStorage.removeItem(`skye.unsettled.${id}`);
    else sessionStorage.setItem(`skye.unsettled.${id}`, JSON.stringify(value));
  } catch { /* without storage it is lost in a reload */ }
}

/** Return the unconfirmed placement of a game. @param {string} id @returns {Unconfirmed | null} */
export function loadUnconfirmed(id) {
  try { return JSON.parse(sessionStorage.getItem(`skye.unsettled.${id}`) ?? "null"); } catch { return null; }
}
