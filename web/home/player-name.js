import { form, h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { loadItem, saveItem } from "../state/items.js";

const STORED = "skye.name";
/** Names of the Highlands, from which a name is proposed to new players. */
const GIVEN = ["Ailsa", "Angus", "Callum", "Catriona", "Eilidh", "Ewan", "Fergus", "Fiona", "Flora", "Hamish", "Iona", "Isla", "Lachlan", "Mairi", "Morag", "Rory"];
const FAMILY = ["Cameron", "Fraser", "Grant", "MacDonald", "MacInnes", "MacKinnon", "MacLeod", "Munro", "Nicolson", "Ross"];

/** The name that was proposed in this visit. */
let proposed = "";

function proposal() {
  const pick = (/** @type {string[]} */ names) => names[Math.floor(Math.random() * names.length)];
  proposed ||= `${pick(GIVEN)} ${pick(FAMILY)}`;
  return proposed;
}

/** @param {string} name */
export function saveName(name) {
  saveItem(STORED, name);
}

/** Create the input for the player's name: the one used last in this browser, otherwise a proposal. */
export function nameInput() {
  return h("input", { name: "name", maxlength: 40, required: true, value: loadItem(STORED) ?? proposal(), "aria-label": t("lobby.name"), autocomplete: "nickname" });
}

/**
 * Create the form that asks for the player's name, once for all kinds of games.
 *
 * @returns {{root: HTMLFormElement, name: () => string | null}} `name` returns the name and keeps it; null if it is missing.
 */
export function nameForm() {
  const input = nameInput();
  const root = form("player-name panel bar", () => {},
    h("label", {}, t("lobby.name"), " ", input), h("span", { class: "faint" }, t("front.name_text")));
  return { root, name() {
    if (!root.reportValidity()) return null;
    saveName(input.value.trim());
    return input.value.trim();
  } };
}
