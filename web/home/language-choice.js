import { h } from "../shared/dom.js";
import { LANGUAGES, STORED, language, t } from "../shared/i18n.js";
import { saveItem } from "../state/items.js";

/** Create a select with all languages. */
export function languageChoice() {
  const select = h("select", { "aria-label": t("menu.language"), class: "language", onchange: () => chooseLanguage(select.value) },
    ...Object.entries(LANGUAGES).map(([tag, name]) => h("option", { value: tag, lang: tag, selected: tag === language }, name)));
  return select;
}

/** Save a language, and reload the page in it. @param {string} name */
function chooseLanguage(name) {
  saveItem(STORED, name);
  const url = new URL(location.href);
  url.searchParams.set("lang", name);
  location.replace(url);
}
