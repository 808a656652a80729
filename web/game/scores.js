import { button, h, hide, keyed, setText } from "../shared/dom.js";
import { number, t } from "../shared/i18n.js";
import { rulesetText, scoringText, scoringTitle } from "../shared/rulesets.js";
import { toastError } from "../shared/toast.js";
import { scoringPicture } from "../state/pictures.js";

/** @typedef {import("../state/api.js").Game} Game */

/** Create the panel with the scoring tiles, and the rounds in which they count. @param {{view: Game}} store */
export function scoringPanel(store) {
  const items = h("ol", { class: "slots" });
  const bag = button(
    "",
    () =>
      void import("./bag.js").then(
        ({ showBag }) => showBag(store.view.ruleset, store.view.bag.tiles ?? []),
        toastError,
      ),
    { class: "small", "data-act": "bag" },
  );
  const ruleset = h("p", { class: "faint ruleset" });
  const noList = h("p", { class: "faint" }, t("front.no_hints"));
  const root = h(
    "section",
    { class: "panel", "aria-label": t("tab.scoring") },
    h("h2", {}, t("tab.scoring")),
    items,
    ruleset,
    bag,
    noList,
  );

  /** @param {Game["scoring_tiles"][number]} tile */
  function item({ slot, scoring_tile: id }) {
    const rounds = h("div", { class: "faint" });
    const box = h(
      "li",
      { "data-slot": slot },
      h("span", { class: "slot" }, slot),
      h("img", { class: "motif", src: scoringPicture(store.view.ruleset, id), alt: "", width: 56, height: 56 }),
      h("div", {}, h("strong", {}, scoringTitle(id)), h("div", {}, scoringText(id)), rounds),
    );
    return {
      root: box,
      update: (/** @type {Game["scoring_tiles"][number]} */ shown) => {
        const now = store.view.status === "playing" && shown.rounds.includes(store.view.round);
        box.classList.toggle("now", now);
        setText(rounds, t("scoring.rounds", { rounds: shown.rounds.map(number).join(" · ") }));
      },
    };
  }

  return {
    root,
    update() {
      keyed(items, store.view.scoring_tiles, ({ slot, scoring_tile }) => slot + scoring_tile, item);
      setText(ruleset, rulesetText(store.view.ruleset));
      hide(ruleset, !ruleset.textContent);
      setText(bag, t("scoring.bag", { count: store.view.bag.count }));
      bag.disabled = store.view.bag.tiles === null;
      hide(noList, !bag.disabled);
    },
  };
}
