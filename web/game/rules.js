import { button, h } from "../shared/dom.js";
import { number, t } from "../shared/i18n.js";
import { scoringPicture, tilePicture } from "../state/pictures.js";

/** The steps of a round, each with a tile that shows what it is about. */
const STEPS = /** @type {const} */ ([["income", "L66"], ["prices", "L35"], ["buy", "L10"], ["build", "L48"], ["score", "castle-red"]]);

/**
 * Show the rules for players over the board, with the scoring tiles of this game.
 *
 * @param {Pick<import("../state/api.js").Game, "scoring_tiles">} game
 */
export function showRules({ scoring_tiles: scoring }) {
  const close = button(t("close"), () => dialog.close(), { class: "primary" });
  const tiles = scoring.map(({ slot, scoring_tile: id, rounds }) => h("li", {}, h("img", { src: scoringPicture(id), alt: "", width: 56, height: 56 }),
    h("div", {}, h("strong", {}, `${slot} ${t(`scoring.${id}.title`)}`), h("div", {}, t(`scoring.${id}.text`)),
      h("div", { class: "faint" }, t("scoring.rounds", { rounds: rounds.map(number).join(" · ") })))));
  const dialog = h("dialog", { class: "rules", "aria-label": t("rules.title") }, h("h2", {}, t("rules.title")), h("p", {}, t("rules.goal")),
    h("ol", { class: "rule-steps" }, ...STEPS.map(([name, tile]) => h("li", {}, h("img", { src: tilePicture(tile), alt: "", width: 64, height: 64 }), h("p", {}, t(`rules.${name}`))))),
    h("ul", { class: "rule-steps" }, ...tiles), h("p", {}, t("rules.areas")), h("p", {}, t("rules.end")),
    h("p", {}, h("a", { href: "/docs/rules", hreflang: "en" }, t("rules.full"))), h("div", { class: "bar" }, close));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  close.focus({ preventScroll: true });
}
