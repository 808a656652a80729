import { h } from "./dom.js";
import { drawing } from "./drawing.js";
import { number, t } from "./i18n.js";

/** A purse: its bag, its cord and its neck. @type {[string, string][]} */
const PURSE = [
  ["bag", "M8.5 9C4 12 2 15.5 2 18.5 2 21.5 4 23 7 23h10c3 0 5-1.5 5-4.5 0-3-2-6.5-6.5-9.5Z"],
  ["bag", "M8.5 7 6 1.5l3.5 1.200L12 1l2.5 1.700L18 1.5 15.5 7Z"],
  ["cord", "M8 6.800h8v2.400H8Z"],
];

/** An amount of gold in a text, between Unicode isolates that names do not have. */
const GOLD = /\u2066([^\u2069]*)\u2069/;

/**
 * Create an amount of gold as a coin, which a screen reader calls gold.
 *
 * @param {number} count
 * @param {string} [shown] How it is written, such as with a sign.
 */
export function coin(count, shown = number(count)) {
  return h("span", { class: "coin", role: "img", "aria-label": t("gold", { count }) }, shown);
}

/**
 * Return an amount of gold for a text that `withCoins` shows, or that `inWords` has spoken.
 *
 * @param {number} count
 * @param {string} [shown]
 */
export function goldText(count, shown = number(count)) {
  return `\u2066${shown}\u2069`;
}

/** @param {string} shown */
const amountOf = (shown) => Number(shown.replace(/\D/g, ""));

/** Return a text with its amounts of gold as coins. @param {string} text */
export function withCoins(text) {
  return text.split(GOLD).map((part, index) => (index % 2 ? coin(amountOf(part), part) : part));
}

/** Return a text with its amounts of gold in words. @param {string} text */
export function inWords(text) {
  const parts = text.split(GOLD);
  return parts.map((part, index) => (index % 2 ? t("gold", { count: amountOf(part) }) : part)).join("");
}

/** Create the picture of a purse. */
export function purse() {
  return drawing("purse-picture", PURSE);
}
