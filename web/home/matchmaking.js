import { ApiError } from "../../clients/typescript/src/errors.js";
import { Player } from "../../clients/typescript/src/player.js";
import { sleep } from "../../clients/typescript/src/transport.js";
import { skye } from "../state/api.js";
import { formatDuration, setServerTime, remainingMs } from "../state/clock.js";
import { announce, button, form, h, hide, setText } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { showInvalid } from "../shared/invalid-field.js";
import { errorText, toastError } from "../shared/toast.js";
import { gameUrl } from "../shared/urls.js";
import { duration } from "./option-texts.js";
import { loadItem, saveItem } from "../state/items.js";
import { addSeatToken, tokensOf } from "../state/tokens.js";

/** @typedef {import("../../clients/typescript/src/resources.js").Result<"get_ticket">} Ticket */

const KEY = "skye.player";
const WAITING = "skye.ticket";
const POLL_MS = 2000;
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
  /** The id of the waiting ticket. @type {string | null} */
  let waiting = null;
  let expires = "";
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
  const left = h("span", { class: "clock", role: "timer" });
  const cancelling = button(t("cancel"), () => void cancel(), { "data-act": "cancel-ticket" });
  const wait = h(
    "div",
    { class: "bar waiting", hidden: true },
    h("strong", {}, t("matchmaking.waiting")),
    left,
    cancelling,
  );
  const note = h("p", { class: "faint", hidden: true });

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
      const ticket = await player().createTicket(wanted);
      saveItem(WAITING, ticket.id);
      announce(t("matchmaking.waiting"));
      void follow(ticket.id);
    } catch (error) {
      showInvalid(error, naming.root);
    }
    asking = false;
  }

  async function cancel() {
    if (!waiting) return;
    try {
      await settle(await player().cancelTicket(waiting));
    } catch (error) {
      toastError(error);
    }
  }

  /** Poll a ticket until it is no longer waiting. @param {string} id */
  async function follow(id) {
    waiting = id;
    while (waiting === id) {
      try {
        await settle(await player().ticket(id));
      } catch (error) {
        if (error instanceof ApiError && error.status < 500 && error.status !== 429) end(errorText(error));
      }
      await sleep(POLL_MS);
    }
  }

  /** Show the status of a ticket; open the game when it is matched. @param {Ticket} ticket */
  async function settle({ id, status, game_id: game, seat, expires_at }) {
    if (id !== waiting) return;
    if (status === "waiting") return showWaiting(expires_at);
    if (game === null || seat === null)
      return end(t(status === "expired" ? "matchmaking.nobody" : "matchmaking.cancelled"));
    await takeSeat(game, seat);
    end(t("matchmaking.found"));
    location.assign(gameUrl(game));
  }

  /** @param {string} until */
  function showWaiting(until) {
    expires = until;
    setServerTime(Date.now() + (skye.transport.clockOffsetMs ?? 0));
    if (!wait.hidden) return;
    const focused = finding.contains(document.activeElement);
    hide(finding, true);
    hide(note, true);
    hide(wait, false);
    if (focused) cancelling.focus();
    tick();
  }

  /** Show the remaining time, every second. */
  function tick() {
    if (wait.hidden) return;
    setText(left, formatDuration(remainingMs(expires)));
    setTimeout(tick, 1000);
  }

  /** @param {string | Node} why */
  function end(why) {
    const focused = wait.contains(document.activeElement);
    waiting = null;
    saveItem(WAITING, null);
    hide(finding, false);
    hide(wait, true);
    hide(note, false);
    note.replaceChildren(why);
    announce(note.textContent ?? "");
    if (focused) find.focus();
  }

  const before = loadItem(WAITING);
  if (before) void follow(before);
  return h("div", {}, finding, wait, note);
}

/**
 * Save a token of this seat only: links contain it, and the player key acts for the seats of all games.
 *
 * @param {string} game
 * @param {number} seat
 */
async function takeSeat(game, seat) {
  if (tokensOf(game).seats.length) return;
  const { token } = await player().game(game).seat(seat).rotateToken();
  if (token) addSeatToken(game, token);
}

/** Return the player of this browser, null if it has no key yet. */
export function knownPlayer() {
  const key = loadItem(KEY);
  return key && new Player(skye.transport, key);
}

/** Return the player of this browser; create its key on first use. */
function player() {
  const found = new Player(skye.transport, loadItem(KEY) ?? undefined);
  saveItem(KEY, found.key);
  return found;
}
