import { has, t } from "./i18n.js";

/** The bots that the page offers, weakest first. */
export const BOTS = /** @type {const} */ (["random", "greedy", "strategist"]);

/** Return the name of a bot, which is the same in all languages: also the server gives it to the seats of bots. @param {string} bot */
export function botName(bot) {
  return bot.charAt(0).toUpperCase() + bot.slice(1);
}

/** Return how strong a bot is, in words; nothing for a bot that this version does not know. @param {string} bot */
export function botLevel(bot) {
  return has(`level.${bot}`) ? t(`level.${bot}`) : "";
}

/** Return the name of a bot with its level. @param {string} bot */
export function botTitle(bot) {
  const level = botLevel(bot);
  return level ? `${botName(bot)} (${level})` : botName(bot);
}
