/** The settings with their defaults. */
export const SETTINGS = { letters: true, auto: false, edges: false, sound: false, notify: false };

/** The settings in a browser without storage. @type {Map<string, boolean>} */
export const memory = new Map();

/** Return a setting. @param {keyof SETTINGS} name */
export function setting(name) {
  try {
    const stored = localStorage.getItem(`skye.${name}`);
    return stored ? stored === "on" : memory.get(name) ?? SETTINGS[name];
  } catch {
    return memory.get(name) ?? SETTINGS[name];
  }
}
