import { botName } from "../shared/bots.js";
import { button, h, hide, setText } from "../shared/dom.js";
import { dateTime, t } from "../shared/i18n.js";
import { toastError } from "../shared/toast.js";
import { movesByServer } from "../state/by-server.js";
import { remainingMs } from "../state/clock.js";

/** @typedef {import("../state/api.js").Game} Game */
/** @typedef {import("../state/api.js").Event} Event */
/** @typedef {import("../state/api.js").Player} Player */

const DAY_MS = 86_400_000;

/**
 * Return in words that a player is away: never came, or since when the server plays the seat; empty for others.
 *
 * @param {Player} player
 * @param {readonly Event[]} log
 */
export function awayText({ seat, takeover }, log) {
  if (!takeover) return "";
  return movesByServer(log).acted.has(seat) ? t("seat.away", { round: takeover.round }) : t("seat.no_show");
}

/** Return the names of players, with those who are away marked. @param {Game} view @param {readonly number[]} seats */
export function namesOf({ players }, seats) {
  return seats.map((seat) => {
    const { name, takeover } = players[seat];
    return takeover ? t("seat.away_name", { name }) : name;
  });
}

/**
 * Create the banner of a player who was away: who plays the seat since when, and the button that takes it back.
 *
 * @param {import("../state/store.js").Store} store
 */
export function awayBanner(store) {
  const text = h("span", {});
  const root = h(
    "p",
    { class: "banner", hidden: true, role: "status" },
    button(t("return.button"), takeBack, { "data-act": "return" }),
    " ",
    text,
  );

  function takeBack() {
    const { seat } = store;
    if (seat !== null) void store.send(() => store.game.seat(seat).returnToSeat()).catch(toastError);
  }

  return {
    root,
    update() {
      const { token, me, view } = store;
      const takeover = token && view.status === "playing" ? me?.takeover : null;
      hide(root, !takeover);
      if (!takeover) return;
      const { bot, round, counts_as_absent_at: absentAt } = takeover;
      const isShared = view.players.some((player) => player !== me && (player.bot === null || player.takeover));
      const parts = [
        t("return.away", { bot: botName(bot), round }),
        isShared && t("return.absent_at", { time: dateTime(absentAt) }),
      ];
      setText(text, parts.filter(Boolean).join(" "));
    },
  };
}

/**
 * Return the seat that our seat may ask the server to take over: in a game without a clock, that of a player for whom the
 * game has waited for a day. Null if there is none.
 *
 * @param {import("../state/store.js").Store} store
 */
function slowSeat({ view, log, me, myTurn }) {
  const { turn_ms: turnMs, budget_ms: budgetMs } = view.options;
  if (view.status !== "playing" || view.pause || turnMs !== null || budgetMs !== null) return null;
  if (!me || me.bot !== null || myTurn) return null;
  const turns = log.filter((event) => event.type === "turn_changed");
  const now = turns.at(-1);
  const isSame = (/** @type {typeof now} */ turn) =>
    turn?.phase === now?.phase && (now?.phase !== "buying" || String(turn?.waiting_for) === String(now.waiting_for));
  const began = turns[turns.findLastIndex((turn) => !isSame(turn)) + 1];
  if (!began || remainingMs(new Date(Date.parse(began.at) + DAY_MS).toISOString()) > 0) return null;
  return view.waiting_for.find((seat) => view.players[seat].bot === null && !view.players[seat].deadline) ?? null;
}

/**
 * Create the banner of a game that has waited for a player for a day, with the button that asks for a take-over.
 *
 * @param {import("../state/store.js").Store} store
 */
export function slowBanner(store) {
  const text = h("span", {});
  const ask = button("", request, { "data-act": "takeover" });
  const root = h("p", { class: "banner", hidden: true, role: "status" }, ask, " ", text);

  function request() {
    const seat = slowSeat(store);
    if (seat !== null) void store.send(() => store.game.seat(seat).requestTakeover()).catch(toastError);
  }

  return {
    root,
    update() {
      const seat = slowSeat(store);
      hide(root, seat === null);
      if (seat === null) return;
      const { name } = store.view.players[seat];
      setText(ask, t("away.request", { name }));
      setText(text, t("away.waiting", { name }));
    },
  };
}
