import { h, hide } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { scoringTitle } from "../shared/rulesets.js";
import { duration } from "./option-texts.js";

/** The times for a decision that hosts can choose, in minutes and in days; none is no limit. */
const MINUTES = [1, 2, 5, 15];
const DAYS = [1, 3];
const DAY_MS = 86_400_000;

/** The times of a seat for the whole game, in minutes, and what a decision can add, in seconds. */
const BUDGET_MINUTES = [5, 10, 20, 40, 90];
const INCREMENT_SECONDS = [0, 5, 10, 20, 30, 60];

/**
 * @typedef {object} Chosen The options of a new game.
 * @property {number} [turn_ms]
 * @property {number} [budget_ms]
 * @property {number} [increment_ms]
 * @property {"bot"} [on_timeout]
 * @property {any} [scoring_tiles]
 * @property {boolean} [hints]
 * @property {"end"} [public_from]
 * @property {boolean} [host_may_abort]
 */

/**
 * Create the choices of a host: the time for a decision and for the game, what the server shows, and the scoring tiles.
 *
 * @param {import("../state/api.js").ScoringTiles | null} scoring Null if it could not be loaded.
 * @returns {{root: HTMLElement, options: () => Chosen, setPublic: (isPublic: boolean) => void}}
 */
export function gameOptions(scoring) {
  const noClock = h("option", { value: "" }, t("front.no_clock"));
  const clock = h(
    "select",
    { name: "clock" },
    noClock,
    ...MINUTES.map((count) => h("option", { value: 60_000 * count }, t("front.minutes", { count }))),
    ...DAYS.map((count) => h("option", { value: DAY_MS * count }, duration(DAY_MS * count))),
  );
  let open = false;
  const strict = h("input", { type: "checkbox", name: "strict" });
  const closed = h("input", { type: "checkbox", name: "closed" });
  const mayAbort = h("input", { type: "checkbox", name: "host-may-abort" });
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
      h("small", { class: "faint" }, t("front.no_hints_text")),
      h("label", { class: "check" }, closed, t("front.public_from_end")),
      h("label", { class: "check" }, mayAbort, t("front.host_may_abort")),
      chosen,
    ),
    setPublic(isPublic) {
      open = isPublic;
      noClock.hidden = noClock.disabled = open; // strangers wait for each decision
      if (open && !clock.value) clock.value = String(DAY_MS);
    },
    options() {
      const chosenTiles = scoringTiles();
      return {
        ...(clock.value ? { turn_ms: Number(clock.value) } : {}),
        ...(open ? { on_timeout: /** @type {const} */ ("bot") } : {}),
        ...(budget.value ? { budget_ms: Number(budget.value), increment_ms: Number(increment.value) } : {}),
        ...(chosenTiles ? { scoring_tiles: chosenTiles } : {}),
        ...(strict.checked ? { hints: false } : {}),
        ...(closed.checked ? { public_from: /** @type {const} */ ("end") } : {}),
        ...(mayAbort.checked ? { host_may_abort: true } : {}),
      };
    },
  };
}
