import { botName } from "../shared/bots.js";
import { button, h, hide, setText } from "../shared/dom.js";
import { dateTime, t } from "../shared/i18n.js";
import { toastError } from "../shared/toast.js";
import { movesByServer } from "../state/by-server.js";

/** @typedef {import("../state/api.js").Game} Game */
/** @typedef {import("../state/api.js").Event} Event */
/** @typedef {import("../state/api.js").Player} Player */

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
