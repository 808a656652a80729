import { ApiError } from "../../clients/typescript/src/errors.js";
import { languageChoice } from "../home/language-choice.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { errorText, toast } from "../shared/toast.js";
import { playerPage } from "./player-page.js";
import { profilePage } from "./profile-page.js";
import { standingsPage } from "./standings.js";

/**
 * Show a page of the ladders: a ladder, a player, or the own profile.
 *
 * @param {Element} app
 * @param {URLSearchParams} asked The query of the address.
 */
export async function openLadderPage(app, asked) {
  const again = async (/** @type {string} */ done) => {
    await openLadderPage(app, asked);
    toast(done);
    app.querySelector("h1")?.focus();
  };
  const name = asked.get("player");
  const page = await opened().catch((error) => {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    const ways = h("p", {}, h("a", { href: "/play/?ladder" }, t("ladder.all")));
    const title = t(name ? "profile.unknown" : "ladder.title");
    return { title, parts: [h("section", { class: "panel" }, h("p", {}, errorText(error)), ways)] };
  });

  function opened() {
    if (name) return playerPage(name);
    return asked.has("profile") ? profilePage(again) : standingsPage(asked.get("ladder") ?? "");
  }

  document.title = `${page.title} · Isle of Skye`;
  app.replaceChildren(
    h(
      "div",
      { class: "front-page" },
      h(
        "header",
        { class: "head" },
        h("h1", { tabindex: -1 }, page.title),
        h(
          "nav",
          { "aria-label": t("ladder.title") },
          h("a", { href: "/play/" }, "Isle of Skye"),
          h("a", { href: "/play/?ladder" }, t("ladder.title")),
          h("a", { href: "/play/?profile" }, t("profile.title")),
        ),
        languageChoice(),
      ),
      h("main", { class: "front ladder" }, ...page.parts),
    ),
  );
}
