import { form, h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { showInvalid } from "../shared/invalid-field.js";
import { duration } from "./option-texts.js";
import { ownPlayer } from "./own-player.js";
import { waitingTicket } from "./ticket.js";

const WAITING = "skye.ticket";
/** The times for a decision to choose from: opponents are strangers. */
const TURN_MS = 120_000;
const DAY_MS = 86_400_000;
/** How long a ticket waits for players who have a day for each decision; others by the default of the server. */
const PATIENT = { ttl_ms: 3_600_000 };

/**
 * Create the form that finds opponents. A ticket that waits stays after a reload of the page.
 *
 * @param {ReturnType<typeof import("./player-name.js").nameForm>} naming
 * @param {number[]} counts The possible numbers of players.
 */
export function matchmaking(naming, counts) {
  let asking = false;
  const players = h(
    "select",
    { "aria-label": t("front.seats"), name: "players" },
    ...counts.map((count) => h("option", { value: count }, t("front.players", { count }))),
  );
  const pace = h(
    "select",
    { "aria-label": t("front.clock"), name: "pace" },
    ...[TURN_MS, DAY_MS].map((time) => h("option", { value: time }, duration(time))),
  );
  const find = h("button", { class: "primary", "data-act": "find-opponents" }, t("matchmaking.find"));
  const finding = form("bar", start, players, pace, find);
  const ticket = waitingTicket(WAITING, finding, find);

  async function start() {
    const name = asking ? null : naming.name();
    if (name === null) return;
    asking = true; // a disabled button would lose the focus
    const turnMs = Number(pace.value);
    const wanted = {
      name,
      seat_count: Number(players.value),
      options: { turn_ms: turnMs },
      ...(turnMs === DAY_MS ? PATIENT : {}),
    };
    try {
      ticket.begin(await ownPlayer().createTicket(wanted));
    } catch (error) {
      showInvalid(error, naming.root);
    }
    asking = false;
  }

  return h("div", {}, finding, ...ticket.roots);
}
