import { skye } from "../state/api.js";
import { attribute, button, h, hide, keyed, setText, whenChanged } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { colorMark } from "./seats.js";
import { tokensOf } from "../state/tokens.js";

/** @typedef {import("../state/store.js").Store} Store */

/**
 * Create the tray for several seats on one device: when another of them must act, it asks to hand the device over. Until
 * that player agrees, the screen shows nothing that only that seat may see.
 *
 * @param {Store} store
 * @param {number} chosen Which of our seats is shown.
 * @param {(index: number) => void} reopen
 */
export function handOver(store, chosen, reopen) {
  /** The seat numbers of our tokens, once the game has begun; until then seats move. @type {(number | null)[]} */
  let seats = [];
  let asked = false;
  let next = -1;
  const text = h("p", {});
  const agree = button("", () => reopen(next), { class: "primary", "data-act": "hand-over" });
  const root = h(
    "section",
    { class: "tray-part hand-over", hidden: true, "aria-label": t("hotseat.title") },
    text,
    h("div", { class: "bar" }, agree),
  );

  async function load() {
    asked = true;
    const views = await Promise.all(
      tokensOf(store.id).seats.map((token) =>
        skye
          .game(store.id, token)
          .get()
          .catch(() => null),
      ),
    );
    seats = views.map((view) => view?.you.seat ?? null);
    store.changed();
  }

  return {
    root,
    seats: () => seats,
    asking: () => next >= 0 || (seats.length === 0 && !store.myTurn && store.view.status === "playing"),
    update() {
      const { view } = store;
      if (view.status !== "lobby" && !asked && tokensOf(store.id).seats.length > 1) void load();
      next =
        store.myTurn || view.status !== "playing"
          ? -1
          : seats.findIndex((seat, index) => index !== chosen && seat !== null && view.waiting_for.includes(seat));
      hide(root, next < 0);
      if (next < 0) return;
      const name = view.players[seats[next] ?? 0]?.name ?? "";
      setText(text, t("hotseat.next", { name }));
      setText(agree, t("hotseat.agree", { name }));
    },
  };
}

/**
 * Create the buttons that switch between the seats of this browser.
 *
 * @param {Store} store
 * @param {number} chosen
 * @param {(index: number) => void} reopen
 * @param {() => (number | null)[]} numbers Returns the numbers of the seats, null where unknown.
 */
export function seatSwitch(store, chosen, reopen, numbers) {
  const root = h("span", { class: "switcher", role: "group", "aria-label": t("menu.seats") });

  /** @param {number} index */
  function seat(index) {
    const box = button(t("menu.seat", { seat: index + 1 }), () => reopen(index), { class: "small" });
    const changed = whenChanged();
    return {
      root: box,
      update() {
        attribute(box, "aria-pressed", String(index === chosen));
        const player = store.view.players[numbers()[index] ?? -1];
        if (!player) return;
        const { color, name } = player;
        changed([color, name], () => box.replaceChildren(colorMark(color), h("bdi", {}, name)));
      },
    };
  }

  return {
    root,
    update() {
      const { seats } = tokensOf(store.id);
      hide(root, seats.length < 2);
      keyed(root, [...seats.keys()], String, seat);
    },
  };
}
