import { h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";

const STORED = "skye.name";

/** Return the name that the player of this browser used last. */
export function myName() {
  try { return localStorage.getItem(STORED) ?? t("front.me"); } catch { return t("front.me"); }
}

/** @param {string} name */
export function saveName(name) {
  try { localStorage.setItem(STORED, name); } catch { /* the player types it again next time */ }
}

/** Create the input for the player's name. */
export function nameInput() {
  return h("input", { name: "name", maxlength: 40, required: true, value: myName(), "aria-label": t("lobby.name"), autocomplete: "nickname" });
}
