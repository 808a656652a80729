/** What a person can switch, and how it is at first. */
export const SETTINGS = { letters: true, auto: false, edges: false };

/** Settings of this page where nothing can be stored. @type {Map<string, boolean>} */
export const memory = new Map();

/** @param {keyof SETTINGS} name */
export function setting(name) {
  try {
    const stored = localStorage.getItem(`skye.${name}`);
    return stored ? stored === "on" : memory.get(name) ?? SETTINGS[name];
  } catch {
    return memory.get(name) ?? SETTINGS[name];
  }
}
