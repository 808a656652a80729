import { h } from "../shared/dom.js";
import { LANGUAGES, STORED, language, t } from "../shared/i18n.js";
import { saveItem } from "../state/items.js";

/** Create a select with all languages; it saves the chosen one, and reloads the page in it. */
export function languageChoice() {
  const select = h(
    "select",
    {
      "aria-label": t("menu.language"),
      class: "language",
      onchange() {
        saveItem(STORED, select.value);
        const url = new URL(location.href);
        url.searchParams.set("lang", select.value);
        location.replace(url);
      },
    },
    ...Object.entries(LANGUAGES).map(([tag, name]) =>
      h("option", { value: tag, lang: tag, selected: tag === language }, name),
    ),
  );
  return select;
}
