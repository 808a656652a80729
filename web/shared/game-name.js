import { t } from "./i18n.js";

/** The names that the server gives to games of matchmaking, and to rated ones. */
const MATCHED = "Matched game";
const RATED = /^Rated game \(\w+\)$/;

/** Return the name of a game; one that the server gave in the language of the page. @param {string} name */
export function gameName(name) {
  if (RATED.test(name)) return t("rated.game");
  return name === MATCHED ? t("matchmaking.game") : name;
}
