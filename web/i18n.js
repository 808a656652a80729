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
/** @type {Intl.PluralRules} */
let rules;

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
  rules = new Intl.PluralRules(language);
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
  return typeof value === "number" ? number(value) : isolated(value);
}

/** A name inside a text, whose direction does not turn the rest. @param {string} name */
export function isolated(name) {
  return `\u2068${name}\u2069`;
}

/** A message without the marks that isolate names, for what is stored. @param {string} text */
export function plain(text) {
  return text.replace(/[\u2068\u2069]/g, "");
}

/**
 * A number in digits. Our languages write those of a game alike; the first `Intl.NumberFormat` or `Intl.ListFormat` of a
 * page takes 40 ms, and 160 ms on a slow phone.
 *
 * @param {number} value
 */
export function number(value) {
  return Math.abs(value) >= 1000 ? value.toLocaleString(language) : String(value);
}

/** A number with its sign. @param {number} value */
export function signed(value) {
  return `${value < 0 ? "−" : "+"}${number(Math.abs(value))}`;
}

/** Names as in "A, B and C". @param {string[]} items */
export function list(items) {
  const names = items.map(isolated);
  const last = names.pop() ?? "";
  return names.length ? names.join(t("list.comma")) + t("list.and") + last : last;
}
