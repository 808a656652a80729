import { ApiError } from "../../clients/typescript/src/errors.js";
import { sleep } from "../../clients/typescript/src/transport.js";
import { announce, button, h, hide, setText } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { errorText, toastError } from "../shared/toast.js";
import { gameUrl } from "../shared/urls.js";
import { skye } from "../state/api.js";
import { formatDuration, remainingMs, setServerTime } from "../state/clock.js";
import { loadItem, saveItem } from "../state/items.js";
import { addSeatToken, tokensOf } from "../state/tokens.js";
import { kindText } from "./option-texts.js";
import { ownPlayer } from "./own-player.js";

/** @typedef {import("../../clients/typescript/src/resources.js").Result<"get_ticket">} Ticket */

const POLL_MS = 2000;

/**
 * Create what shows a ticket that waits, in place of the form that created it, until its game begins. It goes on waiting
 * after a reload of the page.
 *
 * @param {string} stored The name under which this browser keeps the id of the ticket.
 * @param {HTMLElement} finding The form.
 * @param {HTMLElement} find Its button.
 */
export function waitingTicket(stored, finding, find) {
  /** The id of the waiting ticket. @type {string | null} */
  let waiting = null;
  let expires = "";
  const left = h("span", { class: "clock", role: "timer" });
  const cancelling = button(t("cancel"), () => void cancel(), { "data-act": "cancel-ticket" });
  const kind = h("span", { class: "kind" });
  const wait = h(
    "div",
    { class: "bar waiting", hidden: true },
    h("strong", {}, t("matchmaking.waiting")),
    kind,
    left,
    cancelling,
  );
  const note = h("p", { class: "faint", hidden: true });

  async function cancel() {
    if (!waiting) return;
    try {
      await settle(await ownPlayer().cancelTicket(waiting));
    } catch (error) {
      toastError(error);
    }
  }

  /** Poll a ticket until it is no longer waiting. @param {string} id */
  async function follow(id) {
    waiting = id;
    while (waiting === id) {
      try {
        await settle(await ownPlayer().ticket(id));
      } catch (error) {
        if (error instanceof ApiError && error.status < 500 && error.status !== 429) end(errorText(error));
      }
      await sleep(POLL_MS);
    }
  }

  /** Show the status of a ticket; open the game when it is matched. @param {Ticket} ticket */
  async function settle(ticket) {
    const { id, status, game_id: game, seat } = ticket;
    if (id !== waiting) return;
    if (status === "waiting") return showWaiting(ticket);
    if (game === null || seat === null)
      return end(t(status === "expired" ? "matchmaking.nobody" : "matchmaking.cancelled"));
    await takeSeat(game, seat);
    end(t("matchmaking.found"));
    location.assign(gameUrl(game));
  }

  /** @param {Ticket} ticket */
  function showWaiting({ expires_at, seat_count, options }) {
    expires = expires_at;
    setText(kind, kindText({ seat_count, turn_ms: options.turn_ms }));
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
    saveItem(stored, null);
    hide(finding, false);
    hide(wait, true);
    hide(note, false);
    note.replaceChildren(why);
    announce(note.textContent ?? "");
    if (focused) find.focus();
  }

  const before = loadItem(stored);
  if (before) void follow(before);
  return {
    roots: [wait, note],
    /** Wait with a ticket. @param {Ticket} ticket */
    begin({ id }) {
      saveItem(stored, id);
      announce(t("matchmaking.waiting"));
      void follow(id);
    },
  };
}

/**
 * Save a token of this seat only: links contain it, and the player key acts for the seats of all games.
 *
 * @param {string} game
 * @param {number} seat
 */
async function takeSeat(game, seat) {
  if (tokensOf(game).seats.length) return;
  const { token } = await ownPlayer().game(game).seat(seat).rotateToken();
  if (token) addSeatToken(game, token);
}
