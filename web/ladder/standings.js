import { button, h, hide, section } from "../shared/dom.js";
import { number, t } from "../shared/i18n.js";
import { toastError } from "../shared/toast.js";
import { ladderName, ladders, playerName, rulesLink } from "./ladders.js";
import { ownName } from "./own-profile.js";
import { ratedPanel } from "./rated.js";

/** @typedef {import("../../clients/typescript/src/resources.js").Result<"get_ladder">} Page */
/** @typedef {Page["players"][number]} Standing */

const LIMIT = 50;

/** Create the page of a ladder. @param {string} chosen Its id; empty for the first one. */
export async function standingsPage(chosen) {
  const offered = await ladders.list();
  const shown = chosen || (offered[0]?.id ?? "");
  const [first, panel] = await Promise.all([ladders.get(shown, { limit: LIMIT }), ratedPanel(shown)]);
  const { ladder } = first;
  const rows = h("tbody", {});
  const none = h("p", { class: "faint" }, t("ladder.none"));
  let cursor = first.next_cursor;
  const more = button(t("past.more"), () => void load().catch(toastError), { "data-act": "more" });

  async function load() {
    const page = await ladders.get(shown, { limit: LIMIT, ...(cursor && { cursor }) });
    const added = page.players.map(row);
    show(page, added);
    added[0]?.focus(); // the button may be gone
  }

  /** @param {Page} page @param {HTMLElement[]} added */
  function show(page, added) {
    rows.append(...added);
    cursor = page.next_cursor;
    hide(more, cursor === null);
  }

  show(first, first.players.map(row));
  hide(none, rows.childElementCount > 0);
  const rank = [h("span", { "aria-hidden": "true" }, "#"), h("span", { class: "sr-only" }, t("ladder.rank"))];
  const heads = [
    h("th", { scope: "col", title: t("ladder.rank") }, ...rank),
    h("th", { scope: "col", class: "name" }, t("ladder.name")),
    h("th", { scope: "col" }, t("ladder.rating")),
    h("th", { scope: "col", class: "wide" }, t("ladder.games")),
    h("th", { scope: "col", class: "wide" }, t("ladder.gave_up")),
  ];
  const table = h(
    "div",
    { class: "scroll-x", tabindex: 0, role: "group", "aria-label": ladderName(ladder) },
    h("table", { class: "standings" }, h("thead", {}, h("tr", {}, ...heads)), rows),
  );
  hide(table, rows.childElementCount === 0);
  const tabs = offered.map((each) =>
    h(
      "a",
      { class: "button", href: `/play/?ladder=${each.id}`, "aria-current": each.id === shown ? "page" : null },
      ladderName(each),
    ),
  );
  const counts = [
    t("ladder.players", { count: ladder.player_count }),
    t("ladder.results", { count: ladder.result_count }),
  ];
  return {
    title: t("ladder.title"),
    parts: [
      h(
        "div",
        { class: "stack" },
        h("nav", { class: "bar ladders", "aria-label": t("ladder.all") }, ...tabs),
        section(ladderName(ladder), h("p", { class: "faint" }, counts.join(" · ")), table, none, more),
      ),
      h(
        "div",
        { class: "stack" },
        section(t("rated.play"), panel.root),
        section(t("ladder.about"), h("p", {}, t("ladder.text")), h("p", {}, rulesLink())),
      ),
    ],
  };
}

/**
 * Create the row of a player. Where the table is narrow, the numbers of games stand below the name.
 *
 * @param {Standing} standing
 */
function row({ rank, name, bot, rating, uncertainty, games, gave_up: gaveUp }) {
  const isOwn = name !== null && name === ownName();
  const counts = `${t("ladder.games")}: ${number(games)} · ${t("ladder.gave_up")}: ${number(gaveUp)}`;
  return h(
    "tr",
    { class: isOwn ? "own" : "", tabindex: -1 },
    h("td", {}, `${number(rank)}.`),
    h(
      "th",
      { scope: "row" },
      playerName(name, bot),
      isOwn ? h("span", { class: "badge" }, t("seat.you")) : null,
      h("span", { class: "narrow faint" }, counts),
    ),
    h("td", { class: "rating" }, `${rating} `, h("span", {}, `± ${uncertainty}`)),
    h("td", { class: "wide" }, number(games)),
    h("td", { class: "wide" }, number(gaveUp)),
  );
}
