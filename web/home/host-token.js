import { confirmation } from "../shared/confirmation.js";
import { loadLanguage, t } from "../shared/i18n.js";
import { saveTokens } from "../state/tokens.js";

/**
 * Ask whether the host token of a link replaces the stored one, with which the player would lose the game as its host.
 *
 * @param {string} id
 * @param {string} host
 */
export async function askToReplaceHost(id, host) {
  await loadLanguage();
  confirmation(t("tokens.host_question"), t("tokens.host_replace"), () => {
    saveTokens(id, { host });
    location.reload();
  }).open(null);
}
