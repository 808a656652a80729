import { t } from "./i18n.js";

/** The name that the server gives to games of matchmaking. */
const MATCHED = "Matched game";

/** Return the name of a game; that of matchmaking in the language of the page. @param {string} name */
export function gameName(name) {
  return name === MATCHED ? t("matchmaking.game") : name;
}
