import { openDialog } from "../shared/dialog.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { tilePicture } from "../state/pictures.js";

/** Show the tiles that are left in the bag. They are public: all others have been drawn openly. @param {readonly string[]} tiles */
export function showBag(tiles) {
  openDialog(t("bag.title"), "bag", h("p", {}, t("bag.text")),
    h("ul", { class: "bag-tiles" }, ...tiles.map((tile) => h("li", {}, h("img", { src: tilePicture(tile), alt: "", width: 64, height: 64 }), tile))));
}
