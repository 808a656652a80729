import { h } from "./dom.js";
import { t } from "./i18n.js";
import { errorText, toastError } from "./toast.js";

/**
 * Show why a game cannot be loaded, with a link back. The toast has the id of the request.
 *
 * @param {Element} app
 * @param {unknown} error
 */
export function showProblem(app, error) {
  toastError(error);
  app.replaceChildren(
    h(
      "main",
      { class: "front" },
      h(
        "section",
        { class: "panel" },
        h("h1", {}, t("page.not_found")),
        h("p", {}, errorText(error)),
        h("p", {}, h("a", { class: "button primary", href: "/play/" }, t("page.all_games"))),
      ),
    ),
  );
}
