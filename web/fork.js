import { skye } from "./api.js";
import { createAndOpen } from "./create.js";
import { button, h } from "./dom.js";
import { plain, t } from "./i18n.js";
import { toastError } from "./toast.js";

/** @typedef {import("./api.js").Game} Game */
/** @typedef {import("./api.js").Event} Event */

/** Events that stand for one action of the record each. */
const ACTIONS = new Set(["offer_set", "tile_bought", "buy_passed", "tile_placed", "placement_taken_back", "building_finished"]);

/**
 * Ask who plays, and begin a new game at a position of one that is over.
 *
 * @param {Game} game
 * @param {Event[]} past The events up to the position.
 */
export async function forkDialog(game, past) {
  const choices = game.players.map(({ name, bot }) => {
    const select = h("select", { "aria-label": t("fork.who", { name }) }, ...["", "strategist", "greedy", "random"].map((value) => (
      h("option", { value, selected: value === (bot ?? "") }, value ? t("seat.bot", { bot: t(`bot.${value}`) }) : t("fork.me")))));
    return { row: h("label", { class: "fork-seat" }, h("bdi", {}, name), " ", select), select };
  });
  const create = button(t("fork.create"), () => void begin().catch(toastError), { class: "primary", "data-act": "begin" });
  const dialog = h("dialog", { "aria-label": t("fork.title") }, h("h2", {}, t("fork.title")), h("p", {}, t("fork.text")),
    ...choices.map(({ row }) => row), h("div", { class: "bar" }, create, button(t("cancel"), () => dialog.close())));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();

  async function begin() {
    const record = await skye.game(game.id).record();
    const players = record.players.map((player, seat) => ({ ...player, bot: choices[seat].select.value || null }));
    const until = past.filter(({ type }) => ACTIONS.has(type)).length;
    const name = plain(t("fork.name", { name: game.name })).slice(0, 60);
    await createAndOpen(/** @type {any} */ ({ name, private: true, record: { ...record, players }, until }), create);
  }
}
