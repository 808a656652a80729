import { openDialog } from "../shared/dialog.js";
import { h } from "../shared/dom.js";
import { list, number, t } from "../shared/i18n.js";
import { isOfBase, rulesetText, scoringText, scoringTitle } from "../shared/rulesets.js";
import { loadScoringTiles, loadTiles } from "../state/api.js";
import { scoringPicture, tilePicture, tilesOfSteps } from "../state/pictures.js";

/** @typedef {import("../state/api.js").ScoringTiles["round_tables"]} RoundTables */

/**
 * Show the rules for players over the page.
 *
 * @param {Pick<import("../state/api.js").Game, "ruleset" | "round_count" | "scoring_tiles"> | null} game Null for new games.
 */
export async function showRules(game) {
  const asked = game?.ruleset ?? null;
  const [steps, { ruleset, round_tables: tables, catch_up: catchUp }] = await Promise.all([
    loadTiles(asked).then(tilesOfSteps),
    loadScoringTiles(asked),
  ]);
  const rises = catchUp
    .map((gold, index) => ({ gold, round: index + 1 }))
    .filter(({ gold, round }) => gold > 0 && round <= (game?.round_count ?? Infinity))
    .map(({ gold, round }) => t("rules.catch_up", { gold, round }));

  const tiles = (game?.scoring_tiles ?? []).map(({ slot, scoring_tile: id, rounds }) =>
    h(
      "li",
      {},
      h("img", { src: scoringPicture(ruleset, id), alt: "", width: 56, height: 56 }),
      h(
        "div",
        {},
        h("strong", {}, `${slot} ${scoringTitle(id)}`),
        h("div", {}, scoringText(id)),
        h("div", { class: "faint" }, t("scoring.rounds", { rounds: rounds.map(number).join(" · ") })),
      ),
    ),
  );
  const pictured = steps.map(({ step, tile }) =>
    h(
      "li",
      {},
      tile && h("img", { src: tilePicture(ruleset, tile), alt: "", width: 64, height: 64 }),
      h("p", {}, t(`rules.${step}`, { catch_up: rises.join(t("list.comma")) })),
    ),
  );
  openDialog(
    t("rules.title"),
    "rules",
    h("p", {}, t("rules.goal", { rounds: game?.round_count ? rounds(game.round_count) : roundsOf(tables) })),
    isOfBase(ruleset) ? null : h("p", { class: "ruleset" }, t("rules.other", { ruleset: rulesetText(ruleset) })),
    h("ol", { class: "rule-steps" }, ...pictured),
    tiles.length
      ? h("div", {}, h("p", {}, t("rules.these")), h("ul", { class: "rule-steps" }, ...tiles))
      : h("p", {}, t("rules.each")),
    h("p", {}, t("rules.areas")),
    h("p", {}, t("rules.end")),
    h("p", {}, h("a", { href: "/docs/rules", hreflang: "en" }, t("rules.full"))),
    h("p", {}, h("a", { href: "/docs/if-somebody-leaves", hreflang: "en" }, t("rules.leaving"))),
  );
}

/** @param {number} count */
function rounds(count) {
  return t("rules.rounds", { count });
}

/** Say how many rounds games have, and with which numbers of players they have others. @param {RoundTables} tables */
function roundsOf(tables) {
  const usual = tables[0].rounds.length;
  const others = tables
    .filter((table) => table.rounds.length !== usual)
    .map((table) => t("rules.rounds_with", { rounds: number(table.rounds.length), players: number(table.players) }));
  return others.length ? `${rounds(usual)} (${list(others)})` : rounds(usual);
}
