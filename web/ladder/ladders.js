import { Ladders } from "../../clients/typescript/src/ladders.js";
import { kindText } from "../home/option-texts.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { playerUrl } from "../shared/rating.js";
import { skye } from "../state/api.js";

/** @typedef {import("../../clients/typescript/src/resources.js").Result<"list_ladders">["ladders"][number]} Ladder */
/** @typedef {import("../../clients/typescript/src/resources.js").Result<"get_profile">} PlayerPage */

export const ladders = new Ladders(skye.transport);

/** The guide's page with the rules of the ladders. */
export const RULES = "/docs/ladder";

/** The name of a ladder says what its games are: the server may have other ladders one day. */
export const ladderName = kindText;

/**
 * Create the name of a player with a link to the page, and the mark of a program.
 *
 * @param {string | null} name Null once the profile is deleted.
 * @param {boolean} bot
 */
export function playerName(name, bot) {
  return h(
    "span",
    {},
    name === null ? h("i", {}, t("ladder.deleted")) : h("a", { href: playerUrl(name) }, h("bdi", {}, name)),
    bot ? " " : null,
    bot ? h("span", { class: "badge program" }, t("ladder.bot")) : null,
  );
}

/** Create the link to the rules. */
export function rulesLink() {
  return h("a", { href: RULES, hreflang: "en" }, t("ladder.rules"));
}
