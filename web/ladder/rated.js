import { ownPlayer } from "../home/own-player.js";
import { waitingTicket } from "../home/ticket.js";
import { form, h, setText } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { ratingText } from "../shared/rating.js";
import { toastError } from "../shared/toast.js";
import { loadItem, saveItem } from "../state/items.js";
import { WAITING } from "./entry.js";
import { ladderName, ladders, playerName, rulesLink } from "./ladders.js";
import { loadOwnProfile, profileForm } from "./own-profile.js";

/** @typedef {import("./ladders.js").Ladder} Ladder */

/** The ladder that was chosen last. */
const CHOSEN = "skye.ladder";
const DAY_MS = 86_400_000;
/** How long a ticket waits for players who are at their computers, and for those who have a day for each decision. */
const LIVE_TTL_MS = 900_000;
const SLOW_TTL_MS = 3_600_000;

/**
 * Create the panel that plays a rated game: it claims a name first if there is none, and then waits for opponents.
 *
 * @param {string | null} ladder The ladder to propose; null for the one that was chosen last.
 */
export async function ratedPanel(ladder) {
  const [offered, profile] = await Promise.all([ladders.list(), loadOwnProfile()]);
  const root = h("div", { class: "rated" });
  const play = (/** @type {import("./own-profile.js").Profile} */ found) => playForm(found, offered, ladder);
  let part = profile ? play(profile) : claim();
  root.append(part.root);

  function claim() {
    const naming = profileForm(null, claimed, false);
    return {
      root: h(
        "div",
        {},
        h("p", {}, t("profile.needed")),
        naming.root,
        h("details", {}, h("summary", {}, t("key.title")), h("p", {}, t("key.what"), " ", t("key.kept"))),
      ),
      focus: naming.focus,
    };
  }

  /** @param {import("./own-profile.js").Profile} found */
  function claimed(found) {
    part = play(found);
    root.replaceChildren(part.root);
    part.focus();
  }

  return { root, focus: () => part.focus() };
}

/**
 * Create the form that waits on a ladder.
 *
 * @param {import("./own-profile.js").Profile} profile
 * @param {Ladder[]} offered
 * @param {string | null} proposed
 */
function playForm({ name, bot }, offered, proposed) {
  const select = h(
    "select",
    { "aria-label": t("ladder.title"), name: "ladder" },
    ...offered.map((ladder) =>
      h("option", { value: ladder.id, selected: ladder.id === (proposed ?? loadItem(CHOSEN)) }, ladderName(ladder)),
    ),
  );
  const find = h("button", { class: "primary", "data-act": "play-rated" }, t("rated.play"));
  const finding = form("bar", start, select, find);
  const ticket = waitingTicket(WAITING, finding, find);
  let asking = false;

  async function start() {
    const ladder = offered.find(({ id }) => id === select.value);
    if (asking || !ladder) return;
    asking = true; // a disabled button would lose the focus
    saveItem(CHOSEN, ladder.id);
    const { seat_count, turn_ms } = ladder;
    const ttl_ms = turn_ms < DAY_MS ? LIVE_TTL_MS : SLOW_TTL_MS;
    try {
      ticket.begin(await ownPlayer().createTicket({ name, rated: true, seat_count, ttl_ms, options: { turn_ms } }));
    } catch (error) {
      toastError(error);
    }
    asking = false;
  }

  const standing = h("span", {});
  /** The ratings of the player. @type {import("./ladders.js").PlayerPage["ratings"]} */
  let ratings = [];
  const showStanding = () => {
    const rating = ratings.find(({ ladder }) => ladder === select.value);
    setText(standing, rating ? ratingText(rating) : "");
  };
  select.addEventListener("change", showStanding);
  void ladders.player(name).then((found) => {
    ratings = found.ratings;
    showStanding();
  }, toastError);

  const root = h(
    "div",
    {},
    h("p", {}, t("rated.as"), " ", playerName(name, bot), " ", standing),
    finding,
    ...ticket.roots,
    h("p", { class: "network" }, t("rated.network")),
    h("p", { class: "faint" }, t("rated.rules"), " ", rulesLink()),
  );
  return { root, focus: () => find.focus() };
}
