/** What a person can switch, and how it is at first. */
const SETTINGS = { letters: true, auto: false, edges: false };

/** Settings of this page where nothing can be stored. @type {Map<string, boolean>} */
const memory = new Map();

/** @param {keyof SETTINGS} name */
export function setting(name) {
  try {
    const stored = localStorage.getItem(`skye.${name}`);
    return stored ? stored === "on" : memory.get(name) ?? SETTINGS[name];
  } catch {
    return memory.get(name) ?? SETTINGS[name];
  }
}

/** @param {keyof typeof SETTINGS} name @param {boolean} on */
export function keepSetting(name, on) {
  memory.set(name, on);
  try { localStorage.setItem(`skye.${name}`, on ? "on" : "off"); } catch { /* as long as the page */ }
}
