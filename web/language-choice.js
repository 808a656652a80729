import { h } from "./dom.js";
import { LANGUAGES, chooseLanguage, language, t } from "./i18n.js";

/** A select with all languages. */
export function languageChoice() {
  const select = h("select", { "aria-label": t("menu.language"), class: "language", onchange: () => chooseLanguage(select.value) },
    ...Object.entries(LANGUAGES).map(([tag, name]) => h("option", { value: tag, lang: tag, selected: tag === language }, name)));
  return select;
}
