import { loadScoringTiles } from "../state/api.js";
import { loadTileSheet } from "../state/pictures.js";
import { has, t } from "./i18n.js";

/** The ruleset of the base game, which most games have; our messages are about it and its corrections. */
export const BASE = "base";

/** The scoring tiles that have no messages, by id. @type {Map<string, {title: string, text: string}>} */
const untranslated = new Map();

/** Whether a ruleset is the base game, or a correction of it. @param {string} ruleset */
export function isOfBase(ruleset) {
  return ruleset.split("+")[0] === BASE;
}

/**
 * Load what shows a game of a ruleset: the pictures, and the texts that we have no messages for.
 *
 * @param {string} ruleset
 */
export async function loadRuleset(ruleset) {
  await Promise.all([loadTileSheet(ruleset), isOfBase(ruleset) ? null : loadScoringTexts(ruleset)]);
}

/** @param {string} ruleset */
async function loadScoringTexts(ruleset) {
  const { scoring_tiles: tiles } = await loadScoringTiles(ruleset).catch(() => ({ scoring_tiles: [] })); // without them ids are shown
  for (const { id, title, text } of tiles) untranslated.set(id, { title, text });
}

/** Return the name of a scoring tile. @param {string} id */
export function scoringTitle(id) {
  return has(`scoring.${id}.title`) ? t(`scoring.${id}.title`) : (untranslated.get(id)?.title ?? id);
}

/** Return what a scoring tile counts. @param {string} id */
export function scoringText(id) {
  return has(`scoring.${id}.text`) ? t(`scoring.${id}.text`) : (untranslated.get(id)?.text ?? "");
}

/** Say in words which ruleset a game has; nothing for the base game. @param {string} ruleset */
export function rulesetText(ruleset) {
  if (ruleset === BASE) return "";
  return t(isOfBase(ruleset) ? "ruleset.corrected" : "ruleset.other", { ruleset });
}
