import { form, h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { loadItem, saveItem } from "../state/items.js";

const STORED = "skye.name";
/** Names of the Highlands, from which a name is proposed to new players. */
const GIVEN = [
  "Ailsa",
  "Angus",
  "Callum",
  "Catriona",
  "Eilidh",
  "Ewan",
  "Fergus",
  "Fiona",
  "Flora",
  "Hamish",
  "Iona",
  "Isla",
  "Lachlan",
  "Mairi",
  "Morag",
  "Rory",
];
const FAMILY = [
  "Cameron",
  "Fraser",
  "Grant",
  "MacDonald",
  "MacInnes",
  "MacKinnon",
  "MacLeod",
  "Munro",
  "Nicolson",
  "Ross",
];

/** The name that was proposed in this visit. */
let proposed = "";

/** Return a name at random. */
function randomName() {
  const pick = (/** @type {string[]} */ names) => names[Math.floor(Math.random() * names.length)];
  return `${pick(GIVEN)} ${pick(FAMILY)}`;
}

function proposal() {
  proposed ||= randomName();
  return proposed;
}

/**
 * Return whether one of these players has a name; case does not matter.
 *
 * @param {string} name
 * @param {readonly {name: string}[]} players
 */
function isTaken(name, players) {
  return players.some((player) => player.name.toLowerCase() === name.trim().toLowerCase());
}

/**
 * Replace the name in an input by one that no other player has.
 *
 * @param {HTMLInputElement} input
 * @param {readonly {name: string}[]} players
 */
export function proposeFreeName(input, players) {
  while (isTaken(input.value, players)) input.value = randomName();
}

/** @param {string} name */
export function saveName(name) {
  saveItem(STORED, name);
}

/** Create the input for the player's name: the one used last in this browser, otherwise a proposal. */
export function nameInput() {
  return h("input", {
    name: "name",
    maxlength: 40,
    required: true,
    value: loadItem(STORED) ?? proposal(),
    "aria-label": t("lobby.name"),
    autocomplete: "nickname",
  });
}

/**
 * Create the form that asks for the player's name, once for all kinds of games.
 *
 * @returns {{root: HTMLFormElement, name: () => string | null}} `name` returns the name and keeps it; null if it is missing.
 */
export function nameForm() {
  const input = nameInput();
  const root = form(
    "player-name panel bar",
    () => {},
    h("label", {}, t("lobby.name"), " ", input),
    h("span", { class: "faint" }, t("front.name_text")),
  );
  return {
    root,
    name() {
      if (!root.reportValidity()) return null;
      saveName(input.value.trim());
      return input.value.trim();
    },
  };
}
