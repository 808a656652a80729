import { button, h, hide } from "./dom.js";
import { signed, t } from "./i18n.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./place.js").Placing} Placing */

/**
 * What the ghost would add: points by scoring tile, those of this round in bold, then scrolls and income.
 *
 * @param {Store} store
 * @param {Placing} placing
 */
export function gainsList(store, placing) {
  const root = h("dl", { class: "gains" });
  return { root, show() {
    const { ghost } = placing;
    hide(root, !ghost);
    if (!ghost) return;
    const now = new Set(placing.scoredNow());
    const rows = store.view.scoring_tiles.map(({ slot, id }) => (
      row(`${slot} ${t(`scoring.${id}.title`)}`, ghost.gains?.find((gain) => gain.slot === slot)?.points, now.has(slot))));
    const income = ghost.whisky_income ? [row(t("gains.income"), ghost.whisky_income, false)] : [];
    root.replaceChildren(...rows, row(t("gains.scrolls"), ghost.scrolls, false), ...income);
  } };
}

/**
 * @param {string} name
 * @param {number | undefined} gain
 * @param {boolean} now
 */
function row(name, gain, now) {
  const sign = !gain ? "" : gain > 0 ? "up" : "down";
  return h("div", { class: `${now ? "now" : ""} ${sign}` }, h("dt", {}, name), h("dd", {}, gain === undefined ? "?" : signed(gain)));
}

/**
 * The tray of a tile that is tried before it is ours: where it fits, and what it would add.
 *
 * @param {Store} store
 * @param {Placing} placing
 */
export function trialTray(store, placing) {
  const title = h("h2", {});
  const gains = gainsList(store, placing);
  const turn = button(`⟳ ${t("build.turn")}`, () => placing.rotate(1), { class: "small" });
  const close = button(t("close"), () => placing.select(null), { class: "small", "data-act": "end-trial" });
  const root = h("section", { class: "tray-part trial", hidden: true, "aria-label": t("trial.title") },
    h("div", { class: "bar" }, title, turn, close), gains.root);
  return { root, show() {
    const { tile, ghost } = placing;
    hide(root, !tile || placing.building);
    if (root.hidden) return;
    const cells = placing.cells().size;
    title.textContent = t("trial.places", { tile: tile ?? "", count: cells });
    hide(turn, !ghost);
    gains.show();
  } };
}
