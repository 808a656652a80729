import { attribute, button, h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";

/** @typedef {"board" | "scoring" | "log"} Pane */

const PANES = /** @type {Pane[]} */ (["board", "scoring", "log"]);
const wide = matchMedia("(min-width: 64rem)");
const roomy = matchMedia("(min-width: 112rem)");

/**
 * Create the tabs of a game. A desktop shows the scoring tiles or the log in a column beside the board, or closes the column;
 * a narrower window shows them in place of the board.
 *
 * @param {HTMLElement} page
 */
export function paneTabs(page) {
  const tabs = PANES.map((name) => button(t(`tab.${name}`), () => choose(name), { "data-tab": name }));
  /** @type {Pane} */
  let shown = "board";

  /** Show a pane; on a desktop, the one that is shown is closed. @param {Pane} name */
  function choose(name) {
    shown = wide.matches && shown === name ? "board" : name;
    page.dataset.tab = shown;
    for (const one of tabs) attribute(one, "aria-current", one.dataset.tab === shown ? "true" : null);
  }

  choose(roomy.matches ? "scoring" : "board");
  return {
    root: h("nav", { class: "tabs", "aria-label": t("page.tabs") }, ...tabs),
    /** Open a pane, also if it is shown. @param {Pane} name */
    open(name) {
      if (shown !== name) choose(name);
    },
    /** Show the board again where a pane covers it. */
    showBoard() {
      if (!wide.matches) choose("board");
    },
  };
}

/**
 * Create the column beside the board.
 *
 * @param {Record<string, {root: HTMLElement}>} parts The panels by pane.
 */
export function sidePanes(parts) {
  for (const [name, { root }] of Object.entries(parts)) root.dataset.pane = name;
  return h("div", { class: "side" }, ...Object.values(parts).map(({ root }) => root));
}
