import { button, h, hide, setText } from "../shared/dom.js";
import { number, t } from "../shared/i18n.js";
import { scoringTitle } from "../shared/rulesets.js";
import { scoringPicture } from "../state/pictures.js";
import { colorMark, endText, ranked, winnersText } from "./seats.js";

/** @typedef {import("../state/api.js").Game} Game */
/** @typedef {NonNullable<Game["result"]>["players"][number]} Ranked */

/**
 * @typedef {{heading: string, note: HTMLElement, cell: (seat: number) => Node}} Column Another column: what it shows of each
 * seat, and a note above the table.
 */

/**
 * Create the table of the result.
 *
 * @param {{view: Game, seat?: number | null}} store
 * @param {((seat: number) => void) | null} explain Shows what earned the points of a seat.
 * @param {() => Column | null} [column] Returns another column, null without one.
 * @param {...Node} more Buttons below the table.
 */
export function resultPanel(store, explain, column = () => null, ...more) {
  const title = h("h2", { tabindex: -1 });
  const own = h("p", { class: "own-place" });
  const table = h("table", {});
  const root = h(
    "section",
    { class: "result panel", hidden: true, "aria-label": t("result.title") },
    h(
      "div",
      { class: "result-table" },
      h("div", { class: "result-title" }, title, own),
      h("div", { class: "scroll-x", tabindex: 0, role: "group", "aria-label": t("result.title") }, table),
    ),
    more.length ? h("div", { class: "bar" }, ...more) : null,
  );
  /** @param {Ranked & {place: number}} player */
  function row(player) {
    const { seat, place, end, score, scoring_tiles: tiles, scroll_points: scrolls, gold_points: gold } = player;
    const { color, name } = store.view.players[seat];
    const added = column();
    const label = `${t("seat.score", { count: score })}, ${t("points.show")}`;
    const total = explain
      ? button(number(score), () => explain(seat), { class: "score", "aria-label": label })
      : number(score);
    const parts = [...tiles.map(({ points }) => points), scrolls, gold];
    return h(
      "tr",
      {
        class: [store.view.result?.winners.includes(seat) && "won", seat === store.seat && "mine"]
          .filter(Boolean)
          .join(" "),
        "data-seat": seat,
      },
      h("td", {}, `${number(place)}.`),
      h("th", { scope: "row" }, colorMark(color), h("bdi", {}, name), gaveUp(end)),
      h("td", { class: "total" }, total),
      added ? h("td", {}, added.cell(seat)) : null,
      ...parts.map((points) => h("td", {}, number(points))),
    );
  }

  return {
    root,
    update() {
      const { view } = store;
      const added = column();
      if (added && !added.note.isConnected) title.parentElement?.after(added.note);
      hide(root, view.result === null && view.status !== "aborted");
      if (!view.result) {
        if (view.status === "aborted") setText(title, t("status.aborted"));
        return;
      }
      setText(title, winnersText(view.result.winners, view));
      const mine = ranked(view.result).find(({ seat }) => seat === store.seat);
      setText(own, mine ? t("result.mine", { place: mine.place, count: mine.score }) : "");
      hide(own, !mine);
      const headed = (/** @type {string | Node} */ heading) => h("th", { scope: "col" }, heading);
      const head = h(
        "tr",
        {},
        h("td", {}),
        headed(t("result.player")),
        headed(sign("total", t("result.total"))),
        added ? headed(added.heading) : null,
        ...view.scoring_tiles.map(({ scoring_tile: id }) => headed(scoringImage(view.ruleset, id))),
        headed(sign("scrolls", t("gains.scrolls"))),
        headed(sign("gold", t("result.gold"))),
      );
      table.replaceChildren(head, ...ranked(view.result).map(row));
    },
  };
}

/** Create the heading of a column as a sign, which no language makes too wide. @param {string} kind @param {string} text */
function sign(kind, text) {
  return h(
    "span",
    { title: text },
    h("span", { class: `sign ${kind}`, "aria-hidden": "true" }, kind === "total" ? "Σ" : ""),
    h("span", { class: "sr-only" }, text),
  );
}

/** @param {Ranked["end"]} end */
function gaveUp(end) {
  const text = endText(end);
  return text ? h("small", {}, ` ${text}`) : "";
}

/** @param {string} ruleset @param {string} id */
function scoringImage(ruleset, id) {
  return h("img", {
    src: scoringPicture(ruleset, id),
    alt: scoringTitle(id),
    title: scoringTitle(id),
    width: 32,
    height: 32,
  });
}
