import { button, h, hide, setText } from "../shared/dom.js";
import { gainsList } from "./gains.js";
import { t } from "../shared/i18n.js";
import { turnButton } from "./turn-button.js";

/** @typedef {import("../state/store.js").Store} Store */
/** @typedef {import("./place.js").Placing} Placing */

/**
 * Create the tray that previews a tile which is not in our hand: where it fits, and what it would add.
 *
 * @param {Store} store
 * @param {Placing} placing
 */
export function trialTray(store, placing) {
  const title = h("h2", {});
  const gains = gainsList(store, placing);
  const turn = turnButton(placing, { class: "small" });
  const close = button(t("close"), () => placing.select(null), { class: "small", "data-act": "end-trial" });
  const root = h(
    "section",
    { class: "tray-part trial", hidden: true, "aria-label": t("trial.title") },
    h("div", { class: "bar" }, title, turn.root, close),
    gains.root,
  );
  return {
    root,
    update() {
      const { tile, ghost } = placing;
      hide(root, !tile || placing.building);
      if (root.hidden) return;
      const cells = placing.cells().size;
      setText(title, t("trial.places", { tile: tile ?? "", count: cells }));
      hide(turn.root, !ghost);
      turn.update();
      gains.update();
    },
  };
}
