import { skye } from "../state/api.js";
import { Games } from "../../clients/typescript/src/games.js";
import { showInvalid } from "../shared/invalid-field.js";
import { gameUrl } from "../shared/urls.js";
import { saveTokens } from "../state/tokens.js";

/** @typedef {import("../../clients/typescript/src/resources.js").Result<"create_game">} Created */

/**
 * Create a game and save its tokens. Show the error if the server refuses it.
 *
 * @param {import("../../clients/typescript/src/resources.js").Body<"create_game">} body
 * @param {HTMLButtonElement | null} [pressed] The button to disable during the request.
 * @param {number[]} [others] Seats whose tokens are for other people.
 * @returns {Promise<Created | null>} Null if the server refused it.
 */
export async function create(body, pressed = null, others = []) {
  if (pressed) pressed.disabled = true;
  try {
    const created = await new Games(skye.transport).create(body);
    const seats = created.players.flatMap(({ token, seat }) => (token && !others.includes(seat) ? [token] : []));
    saveTokens(created.game.id, { seats, host: created.host_token, invitations: created.invitations });
    return created;
  } catch (error) {
    if (pressed) pressed.disabled = false;
    showInvalid(error, /** @type {HTMLFormElement | null} */ (document.querySelector("form.player-name")));
    return null;
  }
}

/** Create a game and open it. @param {Parameters<typeof create>} options */
export async function createAndOpen(...options) {
  const created = await create(...options);
  if (created) location.assign(gameUrl(created.game.id));
}
