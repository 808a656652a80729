import { h } from "./dom.js";
import { t } from "./i18n.js";
import { errorDetails, errorText } from "./toast.js";

/**
 * Show why a game cannot be loaded, with the id of the request and a link back.
 *
 * @param {Element} app
 * @param {unknown} error
 */
export function showProblem(app, error) {
  app.replaceChildren(
    h(
      "main",
      { class: "front" },
      h(
        "section",
        { class: "panel" },
        h("h1", {}, t("page.not_found")),
        h("p", { role: "alert" }, errorText(error)),
        errorDetails(error),
        h("p", {}, h("a", { class: "button primary", href: "/play/" }, t("page.all_games"))),
      ),
    ),
  );
}
