/** @typedef {{placement: import("./store.js").Placed, key: string, seat: string | null}} Unsettled A placement whose response is not known. */

/** @param {string} id @param {Unsettled | null} value */
export function remember(id, value) {
  try {
    if (value === null) sessionStorage.removeItem(`skye.unsettled.${id}`);
    else sessionStorage.setItem(`skye.unsettled.${id}`, JSON.stringify(value));
  } catch { /* without storage it is settled while the page stays */ }
}

/** @param {string} id @returns {Unsettled | null} */
export function remembered(id) {
  try { return JSON.parse(sessionStorage.getItem(`skye.unsettled.${id}`) ?? "null"); } catch { return null; }
}
