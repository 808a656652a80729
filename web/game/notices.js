import { h } from "../shared/dom.js";
import { spokenStory, story, thumbnails } from "./log.js";

/** The types of events that are worth a notice, unless we brought them about. */
const NOTICED = new Set([
  "tile_bought",
  "purchase_passed",
  "bot_took_over",
  "seat_returned",
  "proposal_made",
  "proposal_answered",
  "proposal_ended",
  "game_paused",
  "game_resumed",
  "timed_out",
  "player_joined",
  "player_left",
  "income_paid",
]);
const SHOWN_MS = 5000;
const MAX_SHOWN = 3;

/**
 * Create the short notices beside the board about what the others did. The page lets screen readers speak the same texts.
 *
 * @param {import("../state/store.js").Store} store
 */
export function boardNotices(store) {
  const root = h("div", { class: "notices", "aria-hidden": "true" });

  /** Show a notice, if the event is worth one; return what to speak. @param {import("../state/api.js").Event} event */
  function add(event) {
    const ours = "seat" in event && event.seat === store.seat;
    const text = NOTICED.has(event.type) && !ours ? story(event, store.view) : "";
    if (!text) return "";
    const notice = h("p", {}, ...thumbnails(event, store.view), h("span", {}, text));
    root.append(notice);
    if (root.childElementCount > MAX_SHOWN) root.firstElementChild?.remove();
    setTimeout(() => notice.remove(), SHOWN_MS);
    return spokenStory(event, store.view);
  }

  return { root, add };
}
