import { attribute, button, h, hide, keyed, setText } from "../shared/dom.js";
import { number, t } from "../shared/i18n.js";
import { scoringText, scoringTitle } from "../shared/rulesets.js";
import { scoringPicture } from "../state/pictures.js";

/** @typedef {import("../state/api.js").Game} Game */
/** @typedef {Game["scoring_tiles"][number]} ScoringTile */
/** @typedef {{view: Game, counted?: import("../state/store.js").Store["counted"]}} Shown */

/** How long a finger presses a picture until its text is shown, in milliseconds. */
const LONG_PRESS_MS = 400;

/**
 * Create the row of the scoring tiles in a header: their letters, their pictures, and what they are worth to us now.
 *
 * @param {Shown} store
 * @param {() => void} explain Shows the scoring tiles with their texts.
 * @param {{points: (slot: string) => number | null}} [worth]
 */
export function scoringRow(store, explain, worth) {
  const root = h("ol", { class: "scored", "aria-label": t("tab.scoring") });
  return {
    root,
    update() {
      keyed(
        root,
        store.view.scoring_tiles,
        ({ slot, scoring_tile: id }) => slot + id,
        (tile) => scoringItem(store, tile, explain, worth),
      );
    },
  };
}

/**
 * Create a scoring tile of the row. Its name, text and rounds are shown while it has the focus or the pointer, or after a
 * long press.
 *
 * @param {Shown} store
 * @param {ScoringTile} tile
 * @param {() => void} explain
 * @param {{points: (slot: string) => number | null}} [worth]
 */
function scoringItem(store, { slot, scoring_tile: id }, explain, worth) {
  const picture = h("img", { src: scoringPicture(store.view.ruleset, id), alt: "", width: 56, height: 56 });
  const rounds = h("span", { class: "faint" });
  const mine = h("span", {});
  const points = h("span", {});
  const whose = h("span", { class: "whose" }, t("scoring.you"));
  const short = h("span", { class: "short" }, t("scoring.counts_short"));
  const ours = h("span", { class: "worth", "aria-hidden": "true" }, h("span", {}, whose, short), points);
  const counts = h("span", { class: "counts" }, t("scoring.counts"));
  const words = h(
    "span",
    { class: "explained", "aria-hidden": "true" },
    h("strong", {}, scoringTitle(id)),
    h("span", {}, scoringText(id)),
    rounds,
    mine,
  );
  const tab = h("span", { class: "letter", "aria-hidden": "true" }, slot, counts);
  const name = h("span", { class: "scoring-name", "aria-hidden": "true" }, scoringTitle(id));
  const box = button(tab, explain, { "data-slot": slot });
  box.append(picture, name, ours);
  const root = h("li", {}, box, words);
  explainOnLongPress(root, box);
  return {
    root,
    update(/** @type {ScoringTile} */ shown) {
      const round = store.counted ? store.counted.round : store.view.status === "playing" ? store.view.round : null;
      const now = round !== null && shown.rounds.includes(round);
      const count = worth?.points(slot) ?? null;
      root.classList.toggle("now", now);
      hide(counts, !now);
      for (const one of [whose, points]) hide(one, count === null);
      setText(rounds, t("scoring.rounds", { rounds: shown.rounds.map(number).join(" · ") }));
      setText(points, count === null ? "" : number(count));
      setText(mine, count === null ? "" : t("scoring.worth", { count }));
      hide(mine, count === null);
      const parts = [`${slot} ${scoringTitle(id)}`, scoringText(id), rounds.textContent, mine.textContent];
      attribute(box, "aria-label", [...parts, now ? t("scoring.now") : ""].filter(Boolean).join(". "));
    },
  };
}

/**
 * Show the text of a scoring tile while a finger presses it. The end of a long press is no click.
 *
 * @param {Element} root
 * @param {HTMLButtonElement} box
 */
function explainOnLongPress(root, box) {
  let timer = 0;
  const end = () => {
    clearTimeout(timer);
    setTimeout(() => root.classList.remove("pressed")); // after the click
  };
  box.addEventListener("pointerdown", ({ pointerType }) => {
    if (pointerType !== "mouse") timer = setTimeout(() => root.classList.add("pressed"), LONG_PRESS_MS);
  });
  for (const type of ["pointerup", "pointercancel", "pointerleave"]) box.addEventListener(type, end);
  box.addEventListener("contextmenu", (event) => root.classList.contains("pressed") && event.preventDefault());
  box.addEventListener(
    "click",
    (event) => root.classList.contains("pressed") && event.stopImmediatePropagation(),
    true,
  );
}
