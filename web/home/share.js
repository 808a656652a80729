import { showDialog } from "../shared/dialog.js";
import { button, h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { toast, toastError } from "../shared/toast.js";

/**
 * Copy a link, or show it where there is no clipboard (it needs HTTPS).
 *
 * @param {string} link
 * @param {string} warning
 * @param {() => Promise<string>} [renew] Invalidates older links and returns a new one.
 * @param {string} [label] What is copied, if it is no link.
 */
export async function share(link, warning, renew, label = t("menu.link")) {
  if (!warning && navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(link);
      toast(t("menu.copied"));
      return;
    } catch {
      /* shown instead */
    }
  }
  const field = h("input", { value: link, readonly: true, "aria-label": label });
  const dialog = h(
    "dialog",
    { "aria-label": label },
    warning ? h("p", { class: "trouble" }, warning) : null,
    field,
    h(
      "div",
      { class: "bar" },
      navigator.clipboard
        ? button(
            t("menu.copy"),
            () => {
              void navigator.clipboard.writeText(field.value).then(
                () => {
                  dialog.close();
                  toast(t("menu.copied"));
                },
                () => field.select(),
              );
            },
            { class: "primary" },
          )
        : null,
      renew
        ? button(
            t("menu.renew"),
            (event) => {
              /** @type {HTMLButtonElement} */ (event.target).disabled = true;
              renew().then((renewed) => {
                field.value = renewed;
                field.select();
              }, toastError);
            },
            { "data-act": "renew" },
          )
        : null,
      button(t("close"), () => dialog.close()),
    ),
  );
  showDialog(dialog);
  field.select();
}
