import { h, hide } from "../shared/dom.js";
import { signed, t } from "../shared/i18n.js";
import { scoringTitle } from "../shared/rulesets.js";
import { scoringPicture } from "../state/pictures.js";

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
      const { ruleset, scoring_tiles: tiles } = store.view;
      const rows = tiles.map(({ slot, scoring_tile: id }) => {
        const picture = h("img", { src: scoringPicture(ruleset, id), alt: "", width: 20, height: 20 });
        const gain = ghost.gains?.find((one) => one.slot === slot)?.points;
        return chip([picture, slot], scoringTitle(id), gain, now.has(slot));
      });
      const sign = (/** @type {string} */ kind) => [h("span", { class: `sign ${kind}`, "aria-hidden": "true" })];
      const scrolls = chip(sign("scrolls"), t("gains.scrolls"), ghost.scroll_points, false);
      const income = ghost.whisky_income ? [chip(sign("gold"), t("gains.income"), ghost.whisky_income, false)] : [];
      root.replaceChildren(...rows, scrolls, ...income);
    },
  };
}

/**
 * Create a chip such as "A +3", with a picture; the name is for tooltips and screen readers.
 *
 * @param {(Node | string)[]} shown
 * @param {string} name
 * @param {number | null | undefined} gain
 * @param {boolean} now Whether this round scores it.
 */
function chip(shown, name, gain, now) {
  const sign = !gain ? "" : gain > 0 ? "up" : "down";
  return h(
    "div",
    { class: `${now ? "now" : ""} ${sign}`, title: name },
    h("dt", {}, ...shown, h("span", { class: "sr-only chip-name" }, ` ${name}`)),
    h("dd", {}, gain === null || gain === undefined ? "?" : signed(gain)),
  );
}
