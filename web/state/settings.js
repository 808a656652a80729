import { loadItem, saveItem } from "./items.js";

/** The settings with their defaults. */
const SETTINGS = { letters: true, auto: false, edges: false, count: true, sound: true, notify: false };

/** Return a setting. @param {keyof typeof SETTINGS} name */
export function setting(name) {
  const stored = loadItem(`skye.${name}`);
  return stored ? stored === "on" : SETTINGS[name];
}

/** @param {keyof typeof SETTINGS} name @param {boolean} on */
export function saveSetting(name, on) {
  saveItem(`skye.${name}`, on ? "on" : "off");
}
