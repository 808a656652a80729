/** @typedef {{placement: import("./store.js").Placed, key: string, seat: string | null}} Unconfirmed A placement whose response is not known. */

/** @param {string} id @param {Unconfirmed | null} value */
export function saveUnconfirmed(id, value) {
  try {
    if (value === null) sessionStorage.removeItem(`skye.unsettled.${id}`);
    else sessionStorage.setItem(`skye.unsettled.${id}`, JSON.stringify(value));
  } catch { /* without storage it is settled while the page stays */ }
}

/** @param {string} id @returns {Unconfirmed | null} */
export function loadUnconfirmed(id) {
  try { return JSON.parse(sessionStorage.getItem(`skye.unsettled.${id}`) ?? "null"); } catch { return null; }
}
