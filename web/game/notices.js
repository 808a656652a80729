import { withCoins } from "../shared/coins.js";
import { h } from "../shared/dom.js";
import { rivalNews } from "./rival-news.js";
import { happenedTo, spokenStory, storyFor, thumbnails } from "./log.js";

/** The types of events that are worth a notice, unless they are about our seat. */
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
  "takeover_requested",
  "player_joined",
  "player_left",
  "income_paid",
  "game_started",
  "time_added",
]);
const SHOWN_MS = 5000;
const MAX_SHOWN = 3;
/** The types of events whose notices others do not push out. */
const GRAVE = new Set(["timed_out", "bot_took_over", "time_added"]);

/**
 * Create the short notices beside the board about what the others did, and what happened to us. The page lets screen
 * readers speak the same texts.
 *
 * @param {import("../state/store.js").Store} store
 */
export function boardNotices(store) {
  const root = h("div", { class: "notices", "aria-hidden": "true" });

  const rivals = rivalNews(store, show);

  /** Show a notice for a while. @param {...(Node | string)} children */
  function show(...children) {
    const notice = h("p", {}, ...children);
    root.append(notice);
    if (root.childElementCount > MAX_SHOWN) (root.querySelector("p:not(.grave)") ?? root.firstElementChild)?.remove();
    setTimeout(() => notice.remove(), SHOWN_MS);
    return notice;
  }

  /** Show a notice, if the event is worth one; return what to speak. @param {import("../state/api.js").Event} event */
  function add(event) {
    const { seat, log } = store;
    const isOurs = "seat" in event && event.seat === seat;
    if (!isOurs && event.type === "tile_placed") rivals.add(event);
    if (!isOurs && event.type === "placement_taken_back") rivals.takeBack(event);
    const isNews = isOurs ? happenedTo(seat, event, log) : NOTICED.has(event.type);
    const text = isNews ? storyFor(event, store) : "";
    if (!text) return "";
    const notice = show(...thumbnails(event, store.view), h("span", {}, withCoins(text)));
    notice.classList.toggle("grave", GRAVE.has(event.type));
    return spokenStory(event, store);
  }

  return { root, add };
}
