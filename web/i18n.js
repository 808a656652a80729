import { nextTask } from "./dom.js";

/** @typedef {Record<string, string | Record<string, string>>} Messages */

export const LANGUAGES = /** @type {const} */ ({
  en: "English", de: "Deutsch", ru: "Русский", zh: "中文", ja: "日本語",
});
export const STORED = "skye.language";

/** @type {Messages} */
let messages = {};
/** @type {Messages} */
let english = {};
/** @type {string} */
export let language = "en";
// Made once, while the messages are loaded: each takes milliseconds, and a task of its own.
/** @type {Intl.PluralRules} */
let rules;
/** @type {Intl.NumberFormat} */
let numbers;
/** @type {Intl.ListFormat} */
let lists;

/** @type {Promise<void> | null} */
let loading = null;

/** Load the messages of the wanted language, once. */
export function loadLanguage() {
  loading ??= loadWanted();
  return loading;
}

async function loadWanted() {
  const wanted = wantedLanguage();
  const pseudo = wanted.startsWith("x-");
  language = pseudo ? "en" : wanted;
  const files = [load("en"), ...(language === "en" ? [] : [load(language)])];
  await nextTask();
  rules = new Intl.PluralRules(language);
  await nextTask();
  numbers = new Intl.NumberFormat(language);
  await nextTask();
  lists = new Intl.ListFormat(language);
  [english, messages = english] = await Promise.all(files);
  if (pseudo) messages = (await import("./pseudo-locale.js")).longer(english);
  document.documentElement.lang = language;
  document.documentElement.dir = wanted === "x-rtl" ? "rtl" : "ltr";
}

/** @param {string} name @returns {Promise<Messages>} */
async function load(name) {
  const response = await fetch(new URL(`./lang/${name}.json`, import.meta.url));
  if (!response.ok) throw new Error(`No messages in ${name}`);
  return response.json();
}

function wantedLanguage() {
  const asked = askedLanguage();
  if (asked === "x-long" || asked === "x-rtl") return asked;
  const candidates = [asked, stored(), ...navigator.languages].map((tag) => (tag ?? "").slice(0, 2).toLowerCase());
  return candidates.find((tag) => tag in LANGUAGES) ?? "en";
}

/** The language that an address has asked for; it lasts as long as the tab. */
function askedLanguage() {
  const asked = new URLSearchParams(location.search).get("lang");
  try {
    if (asked) sessionStorage.setItem(STORED, asked);
    return asked ?? sessionStorage.getItem(STORED);
  } catch {
    return asked;
  }
}

function stored() {
  try { return localStorage.getItem(STORED); } catch { return null; }
}

/**
 * Return a message. A name inside it is isolated, so that its direction does not turn the sentence.
 *
 * @param {string} key
 * @param {Record<string, string | number>} [params] `count` chooses the plural form.
 */
export function t(key, params = {}) {
  const found = messages[key] ?? english[key];
  if (found === undefined) return key;
  const form = typeof found === "string" ? found : found[rules.select(Number(params.count))] ?? found.other;
  return form.replace(/\{(\w+)\}/g, (whole, name) => (name in params ? shown(params[name]) : whole));
}

/** @param {string} key */
export function has(key) {
  return key in messages || key in english;
}

/** @param {string | number} value */
function shown(value) {
  return typeof value === "number" ? numbers.format(value) : isolated(value);
}

/** A name inside a text, whose direction does not turn the rest. @param {string} name */
export function isolated(name) {
  return `\u2068${name}\u2069`;
}

/** A message without the marks that isolate names, for what is stored. @param {string} text */
export function plain(text) {
  return text.replace(/[\u2068\u2069]/g, "");
}

/** @param {number} value */
export function number(value) {
  return numbers.format(value);
}

/** A number with its sign. @param {number} value */
export function signed(value) {
  return `${value < 0 ? "−" : "+"}${numbers.format(Math.abs(value))}`;
}

/** @param {string[]} items */
export function list(items) {
  return lists.format(items.map(isolated));
}
