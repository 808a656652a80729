import { button, h, hide, setText } from "../shared/dom.js";
import { signed, t } from "../shared/i18n.js";
import { scoringTitle } from "../shared/rulesets.js";

/** @typedef {import("../state/store.js").Store} Store */
/**
 * @typedef {{text: string, points: number, tiles: readonly string[]}} Line Something that earned points, and the tiles that did.
 */

/**
 * Create the panel that lists what earned the points of a seat. A line highlights its tiles on the board while the pointer
 * or the focus is on it, and on a touch screen after a tap.
 *
 * @param {Store} store
 * @param {(tiles: readonly string[], seat: number | null) => void} highlight
 * @param {(open: boolean) => void} toggled Called when the panel opens and closes.
 */
export function pointsPanel(store, highlight, toggled) {
  const title = h("h2", { tabindex: -1 });
  const lines = h("ul", { class: "point-lines" });
  const root = h(
    "section",
    {
      class: "points-part",
      hidden: true,
      "aria-label": t("round.title_short"),
      "data-part": "points",
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Escape") close();
      },
    },
    h(
      "div",
      { class: "bar" },
      title,
      button(t("close"), () => close(), { class: "small" }),
    ),
    lines,
  );

  function close() {
    hide(root, true);
    toggled(false);
    highlight([], null);
  }

  /** @param {number} seat */
  async function open(seat) {
    const { players } = await store.game.scores();
    const mark = (/** @type {readonly string[]} */ tiles) => () => highlight(tiles, seat);
    const shown = pointLines(players[seat], store.view.status === "finished");
    setText(title, t("points.of", { name: store.view.players[seat]?.name ?? "" }));
    lines.replaceChildren(
      ...shown.map(({ text, points, tiles }) =>
        h(
          "li",
          {},
          button(h("span", {}, text, " ", h("strong", {}, signed(points))), mark(tiles), {
            class: "small",
            onpointerenter: mark(tiles),
            onfocus: mark(tiles),
          }),
        ),
      ),
    );
    if (!shown.length) lines.replaceChildren(h("li", {}, t("gains.none")));
    hide(root, false);
    toggled(true);
    title.focus();
  }

  return { root, update() {}, open };
}

/**
 * @param {import("../../clients/typescript/src/resources.js").Result<"get_scores">["players"][number]} scores
 * @param {boolean} over Whether the points at the end have been counted.
 * @returns {Line[]}
 */
function pointLines({ rounds, final }, over) {
  const scored = rounds.flatMap(({ round, scoring_tiles }) =>
    scoring_tiles.map(({ slot, scoring_tile: id, points, awards }) => ({
      text: `${t("front.round", { round })} · ${slot} ${scoringTitle(id)}`,
      points,
      tiles: awards.flatMap(({ tiles }) => tiles),
    })),
  );
  const scrolls = final.scrolls.map(({ tile, points }) => ({
    text: `${t("gains.scroll")} ${tile}`,
    points,
    tiles: [tile],
  }));
  const ended = over ? [...scrolls, { text: t("result.gold"), points: final.gold_points ?? 0, tiles: [] }] : [];
  return [...scored, ...ended].filter(({ points }) => points !== 0);
}
