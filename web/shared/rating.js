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

/** Return the address of the page of a player. @param {string} name */
export function playerUrl(name) {
  return `/play/?player=${encodeURIComponent(name)}`;
}
