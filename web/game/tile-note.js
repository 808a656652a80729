import { attribute } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { loadTiles } from "../state/api.js";

/**
 * Let an element have a tooltip with what is doubtful about its tile, once the pointer reaches it.
 *
 * @param {HTMLElement} box
 * @param {string} ruleset
 * @param {() => string | null} tileOf Returns the tile that the element shows now.
 */
export function noteOn(box, ruleset, tileOf) {
  box.addEventListener("pointerenter", () => void loadTiles(ruleset).then((tiles) => {
    const note = tiles.find(({ id }) => id === tileOf())?.note;
    attribute(box, "title", note ? t("tile.doubtful", { note }) : null);
  }, () => {})); // without the catalogue there is no tooltip
}
