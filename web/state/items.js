import { persistent } from "./tokens.js";

/** The values in a browser without storage; they last as long as the page. @type {Map<string, string>} */
const memory = new Map();

/** Return a value that this browser keeps, or null. @param {string} name */
export function loadItem(name) {
  return (persistent ? localStorage.getItem(name) : memory.get(name)) || null;
}

/** Keep a value in this browser; null removes it. @param {string} name @param {string | null} value */
export function saveItem(name, value) {
  if (!persistent) memory.set(name, value ?? "");
  else if (value === null) localStorage.removeItem(name);
  else localStorage.setItem(name, value);
}
