import { openDialog } from "../shared/dialog.js";
import { h } from "../shared/dom.js";
import { number, t } from "../shared/i18n.js";
import { scoringPicture, tilePicture } from "../state/pictures.js";

/** The steps of a round, each with a tile that shows what it is about. */
const STEPS = /** @type {const} */ ([["income", "L66"], ["prices", "L35"], ["buy", "L10"], ["build", "L48"], ["score", "castle-red"]]);

/**
 * Show the rules for players over the page.
 *
 * @param {import("../state/api.js").Game["scoring_tiles"]} scoring The scoring tiles of the game; none before it begins.
 */
export function showRules(scoring) {
  const tiles = scoring.map(({ slot, scoring_tile: id, rounds }) => h("li", {}, h("img", { src: scoringPicture(id), alt: "", width: 56, height: 56 }),
    h("div", {}, h("strong", {}, `${slot} ${t(`scoring.${id}.title`)}`), h("div", {}, t(`scoring.${id}.text`)),
      h("div", { class: "faint" }, t("scoring.rounds", { rounds: rounds.map(number).join(" · ") })))));
  openDialog(t("rules.title"), "rules", h("p", {}, t("rules.goal")),
    h("ol", { class: "rule-steps" }, ...STEPS.map(([name, tile]) => h("li", {}, h("img", { src: tilePicture(tile), alt: "", width: 64, height: 64 }), h("p", {}, t(`rules.${name}`))))),
    tiles.length ? h("div", {}, h("p", {}, t("rules.these_four")), h("ul", { class: "rule-steps" }, ...tiles)) : h("p", {}, t("rules.each_four")), h("p", {}, t("rules.areas")), h("p", {}, t("rules.end")),
    h("p", {}, h("a", { href: "/docs/rules", hreflang: "en" }, t("rules.full"))));
}
