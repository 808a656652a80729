import { fileUrl } from "./urls.js";
import { loadForTab, loadItem, saveForTab } from "../state/items.js";

/** @typedef {Record<string, string | Record<string, string>>} Messages */

export const LANGUAGES = /** @type {const} */ ({
  en: "English",
  de: "Deutsch",
  ru: "Русский",
  zh: "中文",
  ja: "日本語",
});
export const STORED = "skye.language";

/** @type {Messages} */
let messages = {};
/** @type {Messages} */
let english = {};
/** @type {string} */
export let language = "en";
/** @type {Intl.PluralRules} */
let rules;

/** @type {Promise<void> | null} */
let loading = null;

/** Load the messages of the preferred language on the first call. */
export function loadLanguage() {
  loading ??= loadWanted();
  return loading;
}

async function loadWanted() {
  const wanted = wantedLanguage();
  const pseudo = wanted.startsWith("x-");
  language = pseudo ? "en" : wanted;
  const files = [load("en"), ...(language === "en" ? [] : [load(language)])];
  rules = new Intl.PluralRules(language);
  [english, messages = english] = await Promise.all(files);
  if (pseudo) messages = (await import("./pseudo-locale.js")).longer(english);
  document.documentElement.lang = language;
  document.documentElement.dir = wanted === "x-rtl" ? "rtl" : "ltr";
}

/** @param {string} name @returns {Promise<Messages>} */
async function load(name) {
  const response = await fetch(fileUrl(`lang/${name}.json`));
  if (!response.ok) throw new Error(`No messages in ${name}`);
  return response.json();
}

function wantedLanguage() {
  const asked = askedLanguage();
  if (asked === "x-long" || asked === "x-rtl") return asked;
  const candidates = [asked, loadItem(STORED), ...navigator.languages].map((/** @type {string | null} */ tag) =>
    (tag ?? "").slice(0, 2).toLowerCase(),
  );
  return candidates.find((tag) => tag in LANGUAGES) ?? "en";
}

/** Return the language of the query parameter `lang`, which the tab remembers. */
function askedLanguage() {
  const asked = new URLSearchParams(location.search).get("lang");
  if (asked) saveForTab(STORED, asked);
  return asked ?? loadForTab(STORED);
}

/**
 * Return a message. Names in it are isolated, so that right-to-left names do not reorder the sentence.
 *
 * @param {string} key
 * @param {Record<string, string | number>} [params] `count` chooses the plural form.
 */
export function t(key, params = {}) {
  const found = messages[key] ?? english[key];
  if (found === undefined) return key;
  const form = typeof found === "string" ? found : (found[rules.select(Number(params.count))] ?? found.other);
  return form.replace(/\{(\w+)\}/g, (whole, name) => (name in params ? shown(params[name]) : whole));
}

/** @param {string} key */
export function has(key) {
  return key in messages || key in english;
}

/** @param {string | number} value */
function shown(value) {
  return typeof value === "number" ? number(value) : isolated(value);
}

/**
 * Return a name with Unicode isolates, so that its direction does not affect the text around it.
 *
 * @param {string} name
 */
export function isolated(name) {
  return `\u2068${name}\u2069`;
}

/** Return a message without Unicode isolates, to store it. @param {string} text */
export function plain(text) {
  return text.replace(/[\u2066\u2068\u2069]/g, "");
}

/**
 * Return a number in digits. Our languages write numbers below 1,000 in the same way, and the first `Intl.NumberFormat` or
 * `Intl.ListFormat` of a page takes 40 ms, and 160 ms on a slow phone.
 *
 * @param {number} value
 */
export function number(value) {
  return Math.abs(value) >= 1000 ? value.toLocaleString(language) : String(value);
}

/** Return the reader's variant of the language of the page, such as en-GB: they write dates in different ways. */
function locale() {
  return navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;
}

/** Return a time as the reader writes it. @param {string} at */
export function dateTime(at) {
  return new Date(at).toLocaleString(locale(), { dateStyle: "medium", timeStyle: "short" });
}

/** Return a date as the reader writes it. @param {string} at */
export function date(at) {
  return new Date(at).toLocaleDateString(locale(), { dateStyle: "medium" });
}

/** Return an amount with its unit, as in "2 minutes". @param {number} value @param {string} unit */
export function inUnits(value, unit) {
  return value.toLocaleString(language, { style: "unit", unit, unitDisplay: "long" });
}

/** Return a number with its sign. @param {number} value */
export function signed(value) {
  return `${value < 0 ? "−" : "+"}${number(Math.abs(value))}`;
}

/** Return names as in "A, B and C". @param {string[]} items */
export function list(items) {
  const names = items.map(isolated);
  const last = names.pop() ?? "";
  return names.length ? names.join(t("list.comma")) + t("list.and") + last : last;
}
