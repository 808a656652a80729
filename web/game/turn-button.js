import { button, setText } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { waitFor } from "../shared/instruction.js";

/**
 * Create the button that turns the ghost. Where the tile fits in one rotation only, the button says so.
 *
 * @param {import("./place.js").Placing} placing
 * @param {Record<string, string>} props Its attributes.
 */
export function turnButton(placing, props) {
  const root = button("", () => placing.rotate(1), props);
  return {
    root,
    update() {
      const { ghost } = placing;
      const isOnly = ghost !== null && (placing.cells().get(`${ghost.x},${ghost.y}`)?.length ?? 0) < 2;
      setText(root, isOnly ? t("build.only_way") : `⟳ ${t("build.turn")}`);
      waitFor(root, isOnly ? t("build.only_way") : "");
    },
  };
}
