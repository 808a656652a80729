import { h } from "./dom.js";
import { t } from "./i18n.js";

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

/**
 * A check box for a setting.
 *
 * @param {keyof SETTINGS} name
 * @param {() => void} [changed]
 */
export function settingBox(name, changed) {
  const box = h("input", { type: "checkbox", name, checked: setting(name), onchange: () => {
    memory.set(name, box.checked);
    try { localStorage.setItem(`skye.${name}`, box.checked ? "on" : "off"); } catch { /* as long as the page */ }
    changed?.();
  } });
  return h("label", { class: "check" }, box, t(`setting.${name}`));
}
