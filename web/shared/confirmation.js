import { showDialog } from "./dialog.js";
import { button, h, liveRegion } from "./dom.js";
import { t } from "./i18n.js";

/**
 * Create a dialog that asks before something that cannot be undone.
 *
 * @param {string} question
 * @param {string} yes
 * @param {() => void} confirmed
 * @param {...HTMLElement} more Other buttons.
 */
export function confirmation(question, yes, confirmed, ...more) {
  /** @type {HTMLElement | null} */
  let opener = null;
  const close = () => {
    root.close();
    opener?.focus();
  };
  const root = h(
    "dialog",
    { "aria-label": question, oncancel: close },
    h("p", {}, question),
    h(
      "div",
      { class: "bar" },
      ...more,
      button(
        yes,
        () => {
          close();
          liveRegion("toasts")?.replaceChildren(); // they are about what was done before
          confirmed();
        },
        { class: "primary", "data-act": "yes" },
      ),
      button(t("cancel"), close),
    ),
  );
  return {
    open(/** @type {HTMLElement | null} */ from) {
      opener = from;
      showDialog(root);
    },
  };
}
