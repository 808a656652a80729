import { h } from "./dom.js";
import { drawing } from "./drawing.js";
import { number, t } from "./i18n.js";

/** A purse: its bag, its cord and its neck. @type {[string, string][]} */
const PURSE = [
  ["bag", "M8.5 9C4 12 2 15.5 2 18.5 2 21.5 4 23 7 23h10c3 0 5-1.5 5-4.5 0-3-2-6.5-6.5-9.5Z"],
  ["bag", "M8.5 7 6 1.5l3.5 1.200L12 1l2.5 1.700L18 1.5 15.5 7Z"],
  ["cord", "M8 6.800h8v2.400H8Z"],
];

/** Create an amount of gold as a coin, which a screen reader calls gold. @param {number} count */
export function coin(count) {
  return h("span", { class: "coin", role: "img", "aria-label": t("gold", { count }) }, number(count));
}

/** Create the picture of a purse. */
export function purse() {
  return drawing("purse-picture", PURSE);
}
