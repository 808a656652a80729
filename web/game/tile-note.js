import { attribute } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { tileNameAndWords } from "../shared/tile-words.js";
import { loadTiles } from "../state/api.js";

/**
 * Let an element have a tooltip with its tile in words, and what is doubtful about the tile, once the pointer reaches it.
 *
 * @param {HTMLElement} box
 * @param {string} ruleset
 * @param {() => string | null} tileOf Returns the tile that the element shows now.
 * @param {() => number} [rotationOf]
 */
export function noteOn(box, ruleset, tileOf, rotationOf = () => 0) {
  box.addEventListener(
    "pointerenter",
    () =>
      void loadTiles(ruleset).then(
        (tiles) => {
          const tile = tileOf();
          if (!tile) return;
          const note = tiles.find(({ id }) => id === tile)?.note;
          const words = tileNameAndWords(ruleset, tile, rotationOf());
          attribute(box, "title", note ? `${words}\n${t("tile.doubtful", { note })}` : words);
        },
        () => {},
      ),
  ); // without the catalogue there is no tooltip
}
