import { skye } from "../state/api.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { toastError } from "../shared/toast.js";

/** The times for a decision that hosts can choose, in minutes; none is no limit. */
const MINUTES = [1, 2, 5, 15];
const SLOTS = /** @type {const} */ (["A", "B", "C", "D"]);

/**
 * Create the choices of a host: the time for a decision, and the scoring tiles, which are loaded when they are opened.
 *
 * @returns {{root: HTMLElement, options: () => {turn_ms?: number, scoring_tiles?: any}}}
 */
export function gameOptions() {
  const clock = h("select", { name: "clock" }, h("option", { value: "" }, t("front.no_clock")),
    ...MINUTES.map((count) => h("option", { value: 60_000 * count }, t("front.minutes", { count }))));
  const slots = SLOTS.map((slot) => ({ slot, select: h("select", { name: `scoring-${slot}` }, h("option", { value: "" }, t("front.drawn"))) }));
  /** The ids of all scoring tiles, once they are loaded. @type {string[]} */
  let ids = [];
  const chosen = h("details", { class: "scoring-choice", ontoggle: () => ids.length || load().catch(toastError) }, h("summary", {}, t("tab.scoring")),
    ...slots.map(({ slot, select }) => h("label", {}, `${slot} `, select)));

  async function load() {
    const { scoring_tiles: tiles } = await skye.transport.json("GET", "/v1/scoring-tiles");
    ids = tiles.map((/** @type {{id: string}} */ { id }) => id);
    for (const { select } of slots) select.append(...ids.map((id) => h("option", { value: id }, t(`scoring.${id}.title`))));
  }

  /** Return the chosen tiles, with drawn ones in the other slots; nothing if none is chosen. */
  function scoringTiles() {
    const wanted = slots.map(({ select }) => select.value);
    if (!wanted.some(Boolean)) return undefined;
    const rest = ids.filter((id) => !wanted.includes(id)).sort(() => Math.random() - 0.5);
    return wanted.map((id) => id || rest.pop());
  }

  return { root: h("div", { class: "options" }, h("label", {}, t("front.clock"), " ", clock), chosen), options() {
    const scoring = scoringTiles();
    return { ...(clock.value ? { turn_ms: Number(clock.value) } : {}), ...(scoring ? { scoring_tiles: scoring } : {}) };
  } };
}
