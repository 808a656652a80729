import { button, h, hide, setText } from "../shared/dom.js";
import { number, t } from "../shared/i18n.js";
import { scoringTitle } from "../shared/rulesets.js";
import { ranked, winnersText } from "./seats.js";

/** @typedef {import("../state/api.js").Game} Game */

/**
 * Create the table of the result.
 *
 * @param {{view: Game}} store
 * @param {((seat: number) => void) | null} explain Shows what earned the points of a seat.
 * @param {...Node} more Buttons below the table.
 */
export function resultPanel(store, explain, ...more) {
  const title = h("h2", { tabindex: -1 });
  const table = h("table", {});
  const root = h("section", { class: "result panel", hidden: true, "aria-label": t("result.title") },
    title, h("div", { class: "scroll-x", tabindex: 0, role: "group", "aria-label": t("result.title") }, table), h("div", { class: "bar" }, ...more));
  return { root, show() {
    const { view } = store;
    hide(root, view.result === null && view.status !== "aborted");
    if (!view.result) { if (view.status === "aborted") setText(title, t("status.aborted")); return; }
    const { winners } = view.result;
    setText(title, winnersText(winners, view));
    const head = h("tr", {}, h("th", { scope: "col" }, t("result.player")), h("th", { scope: "col" }, t("result.total")), ...view.scoring_tiles.map(({ scoring_tile: id }) => h("th", { scope: "col" }, scoringTitle(id))),
      h("th", { scope: "col" }, t("gains.scrolls")), h("th", { scope: "col" }, t("result.gold")));
    table.replaceChildren(head, ...ranked(view.result).map((player) => h("tr", { class: winners.includes(player.seat) ? "won" : "", "data-seat": player.seat },
      h("th", { scope: "row" }, h("bdi", {}, view.players[player.seat].name)),
      h("td", { class: "total" }, explain ? button(number(player.score), () => explain(player.seat), { class: "score", "aria-label": `${t("seat.score", { count: player.score })}, ${t("points.show")}` }) : number(player.score)), ...player.scoring_tiles.map(({ points }) => h("td", {}, number(points))),
      h("td", {}, number(player.scroll_points)), h("td", {}, number(player.gold_points)))));
  } };
}
