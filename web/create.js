import { skye } from "./api.js";
import { Games } from "./client/games.js";
import { toastError } from "./toast.js";
import { keepTokens } from "./tokens.js";

/**
 * Create a game, keep its tokens and open it. A refusal is shown.
 *
 * @param {import("./client/resources.js").Body<"create_game">} body
 * @param {HTMLButtonElement | null} pressed Disabled in the meantime.
 */
export async function createAndOpen(body, pressed = null) {
  if (pressed) pressed.disabled = true;
  try {
    const { game, players, host_token, invites } = await new Games(skye.transport).create(body);
    keepTokens(game.id, { seats: players.flatMap(({ token }) => (token ? [token] : [])), host: host_token, invites });
    location.assign(`/play/?game=${encodeURIComponent(game.id)}`);
  } catch (error) {
    toastError(error);
    if (pressed) pressed.disabled = false;
  }
}
