import { attribute, button, h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";

/** @typedef {"board" | "market" | "seats" | "scoring" | "log"} Pane */

const PANES = /** @type {Pane[]} */ (["board", "market", "seats", "scoring", "log"]);
const phone = matchMedia("(max-width: 45rem)");

/**
 * Create the tabs of a game: a phone shows one pane at a time, a narrow window one pane beside the board.
 *
 * @param {() => HTMLElement} page
 * @param {() => void} [chosen]
 */
export function paneTabs(page, chosen) {
  let side = "seats";
  const tabs = PANES.map((name) => button(t(`tab.${name}`), () => choose(name), { "data-tab": name }));
  /** @param {Pane} name */
  function choose(name) {
    if (PANES.indexOf(name) > 1) side = name;
    Object.assign(page().dataset, { tab: name, side });
    const current = phone.matches ? name : side;
    for (const one of tabs) attribute(one, "aria-current", one.dataset.tab === current ? "true" : null);
    chosen?.();
  }
  phone.onchange = () => choose(/** @type {Pane} */ (page().dataset.tab));
  return { root: h("nav", { class: "tabs", "aria-label": t("page.tabs") }, ...tabs), choose };
}

/**
 * Create the panels beside the board; a phone shows one of them instead of the board.
 *
 * @param {Record<string, {root: HTMLElement}>} parts The panels by pane.
 */
export function sidePanes(parts) {
  for (const [name, { root }] of Object.entries(parts)) root.dataset.pane = name;
  return h("div", { class: "side" }, ...Object.values(parts).map(({ root }) => root));
}
