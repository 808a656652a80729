import { ApiError } from "../../clients/typescript/src/errors.js";
import { sleep } from "../../clients/typescript/src/transport.js";
import { announce, h, hide, setText } from "../shared/dom.js";
import { signed, t } from "../shared/i18n.js";
import { playerUrl } from "../shared/rating.js";
import { toastError } from "../shared/toast.js";
import { ladders } from "./ladders.js";

/** @typedef {import("./ladders.js").PlayerPage["results"][number]} RatedResult */

/** How long to wait before each further look at a result that is not counted yet, in milliseconds. */
const WAITS_MS = [500, 1000, 2000, 4000, 8000, 16_000];

/**
 * Create what a rated game that is over has changed: a column for the table of its result, and a note below it. The ladder
 * counts a game after its end.
 *
 * @param {import("../state/store.js").Store} store
 * @param {() => void} changed Called when the changes are known.
 */
export function ratingChanges(store, changed) {
  const note = h("p", { class: "faint rated-note" });
  const again = h("a", { class: "button primary", "data-act": "rated-again" }, t("rated.play"));
  /** @type {RatedResult | null} */
  let result = null;
  let loading = false;

  async function load() {
    for (const wait of WAITS_MS) {
      result = await counted();
      if (result?.changes || !again.isConnected) break;
      await sleep(wait);
    }
    const change = store.seat === null ? null : result?.changes?.[store.seat];
    const isCounted = result?.changes && result.counted;
    hide(note, Boolean(isCounted));
    setText(note, result?.changes ? (isCounted ? "" : t("rated.nobody")) : t("rated.later"));
    if (change && isCounted)
      announce(t("rated.changed", { rating: String(change.after), change: signed(change.after - change.before) }));
    changed();
  }

  /** Return the result on the ladder, from the page of the first player who still has a page. */
  async function counted() {
    for (const { name } of store.view.rated?.players ?? []) {
      try {
        const { results } = await ladders.player(name);
        return results.find(({ game_id: id }) => id === store.id) ?? null;
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "profile_not_found") throw error;
      }
    }
    return null;
  }

  return {
    root: again,
    note,
    heading: t("ladder.rating"),
    /** Return the cell of a seat. @param {number} seat */
    cell(seat) {
      const { name, rating } = store.view.rated?.players[seat] ?? { name: "", rating: 0 };
      const change = result?.counted ? result.changes?.[seat] : null;
      const gained = change ? ` (${signed(change.after - change.before)})` : "";
      return h("a", { href: playerUrl(name) }, `${change?.after ?? rating}${gained}`);
    },
    update() {
      const { rated, status } = store.view;
      if (!rated) return;
      again.href = `/play/?ladder=${encodeURIComponent(rated.ladder)}`;
      hide(again, store.seat === null);
      if (status === "aborted") return setText(note, t("rated.aborted"));
      if (loading) return;
      loading = true;
      setText(note, t("rated.counting"));
      void load().catch(toastError);
    },
  };
}
