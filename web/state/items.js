/** The values that the browser does not store; they last as long as the page. @type {Map<string, string>} */
const memory = new Map();

/** Whether this browser stores values. */
export const persistent = (() => {
  try {
    localStorage.setItem("skye.test", "1");
    localStorage.removeItem("skye.test");
    return true;
  } catch {
    return false;
  }
})();

/** Return a value that this browser keeps, or null. @param {string} name */
export function loadItem(name) {
  return memory.get(name) || (persistent && localStorage.getItem(name)) || null;
}

/** Keep a value in this browser; null removes it. @param {string} name @param {string | null} value */
export function saveItem(name, value) {
  memory.delete(name);
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    if (value !== null) memory.set(name, value);
  }
}

/** Return a value that this tab keeps, also after a reload, or null. @param {string} name */
export function loadForTab(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

/** Keep a value in this tab. @param {string} name @param {unknown} value Any that JSON has. */
export function saveForTab(name, value) {
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    /* it is lost in a reload */
  }
}

/** Return the names of all values, in any order. */
export function itemNames() {
  const stored = persistent
    ? Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? "")
    : [];
  return [...stored, ...memory.keys()];
}
