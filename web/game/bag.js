import { openDialog } from "../shared/dialog.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { tilePicture } from "../state/pictures.js";
import { noteOn } from "./tile-note.js";

/**
 * Show the tiles that are left in the bag. They are public: all others have been drawn openly.
 *
 * @param {string} ruleset
 * @param {readonly string[]} tiles
 */
export function showBag(ruleset, tiles) {
  const item = (/** @type {string} */ tile) => {
    const box = h("li", {}, h("img", { src: tilePicture(ruleset, tile), alt: "", width: 64, height: 64 }), tile);
    noteOn(box, ruleset, () => tile);
    return box;
  };
  openDialog(t("bag.title"), "bag", h("p", {}, t("bag.text")), h("ul", { class: "bag-tiles" }, ...tiles.map(item)));
}
