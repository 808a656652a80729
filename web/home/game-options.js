import { h, hide } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { scoringTitle } from "../shared/rulesets.js";

/** The times for a decision that hosts can choose, in minutes; none is no limit. */
const MINUTES = [1, 2, 5, 15];

/** The times of a seat for the whole game, in minutes, and what a decision can add, in seconds. */
const BUDGET_MINUTES = [5, 10, 20, 40, 90];
const INCREMENT_SECONDS = [0, 5, 10, 20, 30, 60];

/**
 * @typedef {object} Chosen The options of a new game.
 * @property {number} [turn_ms]
 * @property {number} [budget_ms]
 * @property {number} [increment_ms]
 * @property {any} [scoring_tiles]
 * @property {boolean} [hints]
 * @property {"end"} [public_from]
 */

/**
 * Create the choices of a host: the time for a decision and for the game, what the server shows, and the scoring tiles.
 *
 * @param {import("../state/api.js").ScoringTiles | null} scoring Null if it could not be loaded.
 * @returns {{root: HTMLElement, options: () => Chosen}}
 */
export function gameOptions(scoring) {
  const clock = h(
    "select",
    { name: "clock" },
    h("option", { value: "" }, t("front.no_clock")),
    ...MINUTES.map((count) => h("option", { value: 60_000 * count }, t("front.minutes", { count }))),
  );
  const strict = h("input", { type: "checkbox", name: "strict" });
  const closed = h("input", { type: "checkbox", name: "closed" });
  const budget = h(
    "select",
    { name: "budget" },
    h("option", { value: "" }, t("front.no_clock")),
    ...BUDGET_MINUTES.map((count) => h("option", { value: 60_000 * count }, t("front.minutes", { count }))),
  );
  const increment = h(
    "select",
    { name: "increment" },
    ...INCREMENT_SECONDS.map((count) => h("option", { value: 1000 * count }, t("front.seconds", { count }))),
  );
  const added = h("label", { hidden: true }, t("front.increment"), " ", increment);
  budget.addEventListener("change", () => hide(added, !budget.value));
  const ids = (scoring?.scoring_tiles ?? []).map(({ id }) => id);
  const slots = [...new Set(scoring?.round_tables.flatMap(({ rounds }) => rounds.flat()))].sort().map((slot) => ({
    slot,
    select: h(
      "select",
      { name: `scoring-${slot}` },
      h("option", { value: "" }, t("front.drawn")),
      ...ids.map((id) => h("option", { value: id }, scoringTitle(id))),
    ),
  }));
  const chosen = h(
    "details",
    { class: "scoring-choice" },
    h("summary", {}, t("tab.scoring")),
    ...slots.map(({ slot, select }) => h("label", {}, `${slot} `, select)),
  );

  /** Return the chosen tiles, with drawn ones in the other slots; nothing if none is chosen. */
  function scoringTiles() {
    const wanted = slots.map(({ select }) => select.value);
    if (!wanted.some(Boolean)) return undefined;
    const rest = ids.filter((id) => !wanted.includes(id)).sort(() => Math.random() - 0.5);
    return wanted.map((id) => id || rest.pop());
  }

  return {
    root: h(
      "div",
      { class: "options" },
      h("label", {}, t("front.clock"), " ", clock),
      h("label", {}, t("front.budget"), " ", budget),
      added,
      h("label", { class: "check" }, strict, t("front.no_hints")),
      h("label", { class: "check" }, closed, t("front.public_from_end")),
      chosen,
    ),
    options() {
      const chosenTiles = scoringTiles();
      return {
        ...(clock.value ? { turn_ms: Number(clock.value) } : {}),
        ...(budget.value ? { budget_ms: Number(budget.value), increment_ms: Number(increment.value) } : {}),
        ...(chosenTiles ? { scoring_tiles: chosenTiles } : {}),
        ...(strict.checked ? { hints: false } : {}),
        ...(closed.checked ? { public_from: /** @type {const} */ ("end") } : {}),
      };
    },
  };
}
