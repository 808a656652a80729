import { skye } from "../state/api.js";
import { has, t } from "./i18n.js";

/** @typedef {import("../../clients/typescript/src/resources.js").Result<"list_bots">["bots"][number]} Bot */

/** @type {Promise<Bot[]> | null} */
let loading = null;

/** Load the bots that the server offers, weakest first, on the first call. @returns {Promise<Bot[]>} */
export function loadBots() {
  loading ??= skye.transport.json("GET", "/v1/bots").then(({ bots }) => bots);
  loading.catch(() => {
    loading = null;
  });
  return loading;
}

/**
 * Return the title of a bot, which is the same in all languages: also the server gives it to the seats of bots.
 *
 * @param {string} bot
 */
export function botName(bot) {
  return bot.charAt(0).toUpperCase() + bot.slice(1);
}

/** Return how strong a bot is, in words; nothing for a bot that this version does not know. @param {string} bot */
export function botLevel(bot) {
  return has(`level.${bot}`) ? t(`level.${bot}`) : "";
}

/** Return the level of a bot with its title, or the title alone. @param {Bot} bot */
export function botTitle({ name, title }) {
  const level = botLevel(name);
  return level ? `${level.charAt(0).toUpperCase()}${level.slice(1)} (${title})` : title;
}
