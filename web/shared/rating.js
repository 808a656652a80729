import { h } from "./dom.js";
import { t } from "./i18n.js";

/**
 * Return a rating with its uncertainty, marked while it is provisional.
 *
 * @param {{rating: number, uncertainty: number, provisional?: boolean}} rated
 */
export function ratingText({ rating, uncertainty, provisional = false }) {
  const text = `${rating} ± ${uncertainty}`; // without separators, as ratings are written
  return provisional ? t("rating.provisional", { rating: text }) : text;
}

/**
 * Create what a card shows of a player of a rated game: the rating before it, with a question mark while it is provisional,
 * and whether the player is a program.
 *
 * @param {{rating: number, uncertainty: number, provisional: boolean, bot: boolean}} rated
 */
export function ratedBadges(rated) {
  const whole = `${t("ladder.rating")} ${ratingText(rated)}`;
  return [
    h(
      "span",
      { class: "badge rating", title: whole },
      h("span", { "aria-hidden": "true" }, `${rated.rating}${rated.provisional ? "?" : ""}`),
      h("span", { class: "sr-only" }, whole),
    ),
    rated.bot ? h("span", { class: "badge" }, t("ladder.bot")) : "",
  ];
}

/** Return the address of the page of a player. @param {string} name */
export function playerUrl(name) {
  return `/play/?player=${encodeURIComponent(name)}`;
}
