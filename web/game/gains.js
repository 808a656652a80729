import { h, hide } from "../shared/dom.js";
import { signed, t } from "../shared/i18n.js";
import { scoringTitle } from "../shared/rulesets.js";

/** @typedef {import("../state/store.js").Store} Store */
/** @typedef {import("./place.js").Placing} Placing */

/**
 * Create the list of what the ghost would add: points by scoring tile, those of this round in bold, scrolls, income.
 *
 * @param {Store} store
 * @param {Placing} placing
 */
export function gainsList(store, placing) {
  const root = h("dl", { class: "gains" });
  return {
    root,
    update() {
      const { ghost } = placing;
      hide(root, !ghost);
      if (!ghost) return;
      const now = new Set(placing.scoredNow());
      const rows = store.view.scoring_tiles.map(({ slot, scoring_tile: id }) =>
        row(`${slot} ${scoringTitle(id)}`, ghost.gains?.find((gain) => gain.slot === slot)?.points, now.has(slot)),
      );
      const income = ghost.whisky_income ? [row(t("gains.income"), ghost.whisky_income, false)] : [];
      root.replaceChildren(...rows, row(t("gains.scrolls"), ghost.scroll_points, false), ...income);
    },
  };
}

/** @param {string} name @param {number | null | undefined} gain @param {boolean} now */
function row(name, gain, now) {
  const sign = !gain ? "" : gain > 0 ? "up" : "down";
  return h(
    "div",
    { class: `${now ? "now" : ""} ${sign}` },
    h("dt", {}, name),
    h("dd", {}, gain === null || gain === undefined ? "?" : signed(gain)),
  );
}
