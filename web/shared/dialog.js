import { button, h, liveRegion, openDialogs } from "./dom.js";
import { t } from "./i18n.js";

/** Show a dialog over the page; it is removed when it closes. @param {HTMLDialogElement} dialog */
export function showDialog(dialog) {
  dialog.addEventListener(
    "close",
    () => {
      openDialogs.splice(openDialogs.indexOf(dialog), 1);
      dialog.remove();
    },
    { once: true },
  );
  document.body.append(dialog); // inside a closed menu it would not be shown
  dialog.showModal();
  dialog.scrollTop = 0; // the browser has scrolled to the first link or button, which it focuses
  openDialogs.push(dialog);
  for (const kind of /** @type {const} */ (["status", "alert"])) {
    liveRegion(kind)?.replaceChildren(); // before they have a text, and without the one of the last time
  }
}

/**
 * Show a dialog with a title and a button that closes it.
 *
 * @param {string} title
 * @param {string} kind Its class.
 * @param {...(Node | null)} children
 */
export function openDialog(title, kind, ...children) {
  const close = button(t("close"), () => dialog.close(), { class: "primary" });
  const dialog = h(
    "dialog",
    { class: kind, "aria-label": title },
    h("h2", {}, title),
    ...children,
    h("div", { class: "bar" }, close),
  );
  showDialog(dialog);
  close.focus({ preventScroll: true }); // the text begins at its top
}
