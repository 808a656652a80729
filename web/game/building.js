import { announce, attribute, button, h, hide, keyed, setText } from "../shared/dom.js";
import { draggable } from "./drag.js";
import { gainsList } from "./gains.js";
import { hintScroll } from "../shared/scroll-hint.js";
import { isWaiting, pointAt, waitFor } from "../shared/instruction.js";
import { t } from "../shared/i18n.js";
import { noteOn } from "./tile-note.js";
import { tileWords } from "../shared/tile-words.js";
import { tilePicture } from "../state/pictures.js";
import { turnButton } from "./turn-button.js";
import { toastError } from "../shared/toast.js";

/** @typedef {import("../state/store.js").Store} Store */
/** @typedef {import("./place.js").Placing} Placing */

/**
 * Create the tray of the building phase: the hand, the gains of the ghost, undo and finish.
 *
 * @param {Store} store
 * @param {Placing} placing
 */
export function buildingTray(store, placing) {
  const hand = h("div", { class: "hand", role: "group", "aria-label": t("build.hand") });
  const hint = h("p", { class: "step" });
  const gains = gainsList(store, placing);
  const turn = turnButton(placing, { "data-act": "rotate" });
  const place = button("", () => void commit(), { class: "primary", "data-act": "place" });
  const cancel = button(t("cancel"), () => placing.cancel(), { "data-act": "cancel" });
  const undo = button(`↶ ${t("build.undo")}`, () => void takeBack(), { "data-act": "undo" });
  const finish = button(t("build.finish"), () => void finishBuilding(), { class: "primary", "data-act": "finish" });
  const root = h(
    "section",
    { class: "tray-part building", "aria-label": t("phase.building") },
    h("h2", { class: "sr-only" }, t("turn.mine.building")),
    hand,
    h("div", { class: "acts" }, hint, gains.root, h("div", { class: "bar" }, place, turn.root, cancel, undo, finish)),
  );

  hintScroll(hand, hand);

  /** @param {string} type */
  function listed(type) {
    return store.actions?.find((action) => action.type === type);
  }

  /** Place the ghost, or point to the tile or cell that has to be chosen first. */
  function commit() {
    if (!isWaiting(place)) return placing.commit();
    const cells = [...document.querySelectorAll(".board .cell.legal")];
    return pointAt(place, placing.tile ? cells : [...hand.querySelectorAll(".hand-tile:not(.dim)")]);
  }

  async function takeBack() {
    const undoing = listed("take_back");
    if (undo.disabled || !undoing) return;
    placing.select(null);
    if (await store.act((seat, options) => seat.act(undoing, options))) announce(t("build.undone"));
  }

  async function finishBuilding() {
    if (finish.hidden || finish.disabled) return;
    if (!store.me?.tiles_to_build.length) return void (await send());
    await import("../shared/confirmation.js").then(
      ({ confirmation }) => confirmation(t("build.finish_returns"), t("build.finish"), () => void send()).open(finish),
      toastError,
    );
  }

  function send() {
    return store.act((seat, options) => seat.finishBuilding(options));
  }

  /** @param {string} tile */
  function handTile(tile) {
    const note = h("span", { class: "faint" });
    const box = button(
      h("img", { src: tilePicture(store.view.ruleset, tile), alt: "", draggable: "false" }),
      (event) => {
        placing.select(placing.tile === tile && event.detail ? null : tile); // a key chooses a tile, and Escape chooses none
      },
      { class: "hand-tile", "data-tile": tile },
    );
    draggable(box, tile, placing);
    noteOn(box, store.view.ruleset, () => tile);
    box.append(h("span", {}, tile), note);
    return {
      root: box,
      update: () => {
        attribute(box, "aria-pressed", String(placing.tile === tile));
        attribute(box, "aria-description", tileWords(store.view.ruleset, tile) || null);
        const places = store.actions ? placing.legal(tile).length : 0;
        setText(note, store.actions ? t(places ? "build.places" : "build.nowhere", { count: places }) : "…");
        box.classList.toggle("dim", store.actions !== null && places === 0);
      },
    };
  }

  function update() {
    const me = store.players[store.seat ?? -1];
    hide(root, store.view.status !== "playing" || store.view.phase !== "building");
    if (root.hidden || !me) return;
    keyed(hand, me.tiles_to_build, (tile) => tile, handTile);
    const { ghost } = placing;
    for (const one of [turn.root, cancel]) hide(one, !ghost);
    const canPlace = store.actions?.some(({ type }) => type === "place") ?? false;
    hide(place, !ghost && !canPlace);
    waitFor(place, ghost ? "" : t(placing.tile ? "build.hint_cell" : "build.hint_tile"));
    setText(place, `✓ ${t("build.place")}`);
    place.disabled = store.blocked || !store.actions;
    turn.update();
    undo.disabled = store.blocked || !listed("take_back");
    hide(undo, ghost !== null || (undo.disabled && !store.blocked));
    hide(finish, ghost !== null || !listed("finish_building"));
    finish.disabled = store.blocked;
    setText(hint, hintText(me));
    hide(hint, !hint.textContent);
    gains.update();
  }

  /** @param {import("../state/api.js").Player} me */
  function hintText(me) {
    if (me.building_finished) return t("build.done");
    if (placing.ghost) return t("build.hint_ghost");
    if (!me.tiles_to_build.length) return t("build.hint_finish");
    return place.hidden ? "" : place.title;
  }

  return {
    root,
    update,
    takeBack,
    finishBuilding,
    /** Choose a tile of the hand. @param {number} index */
    select(index) {
      const tile = store.players[store.seat ?? -1]?.tiles_to_build[index];
      if (tile) placing.select(tile);
    },
  };
}
