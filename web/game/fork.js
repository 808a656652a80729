import { create } from "../home/create.js";
import { botTitle, loadBots } from "../shared/bots.js";
import { button, h } from "../shared/dom.js";
import { gameName } from "../shared/game-name.js";
import { plain, t } from "../shared/i18n.js";
import { share } from "../home/share.js";
import { showDialog } from "../shared/dialog.js";
import { toastError } from "../shared/toast.js";
import { gameUrl } from "../shared/urls.js";

/** @typedef {import("../state/api.js").Game} Game */
/** @typedef {import("../state/api.js").Event} Event */
/** @typedef {import("../../clients/typescript/src/resources.js").Result<"get_record">} Record */

/** The types of events that have one action of the record each. */
const ACTIONS = new Set([
  "offer_set",
  "tile_bought",
  "purchase_passed",
  "tile_placed",
  "placement_taken_back",
  "building_finished",
]);

/**
 * Ask for the players, and create a game that continues from a position of a finished one.
 *
 * @param {Game} game
 * @param {Record} record
 * @param {Event[]} past The events up to the position.
 */
export async function forkDialog(game, record, past) {
  const bots = (await loadBots()).map((bot) => [bot.name, t("seat.bot", { bot: botTitle(bot) })]);
  const playedBy = [["me", t("fork.me")], ["link", t("fork.link")], ...bots];
  const choices = game.players.map(({ name, bot }) => {
    const select = h(
      "select",
      { "aria-label": t("fork.who", { name }) },
      ...playedBy.map(([value, text]) => h("option", { value, selected: value === (bot ?? "me") }, text)),
    );
    return { row: h("label", { class: "fork-seat" }, h("bdi", {}, name), " ", select), select };
  });
  const start = button(t("fork.create"), () => void begin().catch(toastError), {
    class: "primary",
    "data-act": "begin",
  });
  const dialog = h(
    "dialog",
    { "aria-label": t("replay.fork") },
    h("h2", {}, t("replay.fork")),
    h("p", {}, t(isOver(past) ? "fork.text_over" : "fork.text")),
    ...choices.map(({ row }) => row),
    h(
      "div",
      { class: "bar" },
      start,
      button(t("cancel"), () => dialog.close()),
    ),
  );
  showDialog(dialog);

  async function begin() {
    const chosen = choices.map(({ select }) => select.value);
    const players = record.players.map((player, seat) => ({
      ...player,
      bot: ["me", "link"].includes(chosen[seat]) ? null : chosen[seat],
    }));
    const others = chosen.flatMap((choice, seat) => (choice === "link" ? [seat] : []));
    const stopAt = actionsBefore(past, chosen);
    const name = plain(t("fork.name", { name: gameName(game.name) })).slice(0, 60);
    const created = await create(
      /** @type {any} */ ({ name, visibility: "private", record: { ...record, players }, stop_at: stopAt }),
      start,
      others,
    );
    if (!created) return;
    if (others.length) showLinks(created, others);
    else location.assign(gameUrl(created.game.id));
  }

  /**
   * Show the links to the seats of other people.
   *
   * @param {import("../home/create.js").Created} created
   * @param {number[]} others
   */
  function showLinks({ game: { id }, players }, others) {
    const rows = others.map((seat) =>
      h(
        "li",
        {},
        h("bdi", {}, game.players[seat].name),
        " ",
        button(t("invite.copy"), () => void share(gameUrl(id, "seat", players[seat].token), ""), {
          class: "small",
          "data-act": "seat-link",
          "aria-label": `${t("invite.copy")}: ${game.players[seat].name}`,
        }),
      ),
    );
    const open = h("a", { class: "button primary", href: gameUrl(id), "data-act": "open" }, t("fork.open"));
    dialog.replaceChildren(
      h("h2", {}, t("replay.fork")),
      h("p", {}, t("fork.links")),
      h("ul", { class: "list-rows" }, ...rows),
      h("div", { class: "bar" }, open),
    );
    open.focus();
  }
}

/** Whether the game is over at a position. @param {Event[]} past */
function isOver(past) {
  return past.some(({ type }) => type === "game_finished");
}

/**
 * Return how many actions a new game takes from the record: all up to the position. Where the game is over, a new one could only
 * end too: it stops before the last action of our seats.
 *
 * @param {Event[]} past
 * @param {string[]} chosen Who plays each seat.
 */
function actionsBefore(past, chosen) {
  const actions = past.filter(({ type }) => ACTIONS.has(type));
  if (!isOver(past)) return actions.length;
  const ours = actions.findLastIndex((event) => "seat" in event && event.seat !== null && chosen[event.seat] === "me");
  return ours < 0 ? actions.length - 1 : ours;
}
