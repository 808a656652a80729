import { skye } from "./api.js";
import { toastError } from "./toast.js";
import { keepTokens } from "./tokens.js";

/** @typedef {import("./api.js").Game} Game */

/**
 * Create a game, keep its tokens and open it. A refusal is shown.
 *
 * @param {import("./client/resources.js").Body<"create_game">} body
 * @param {HTMLButtonElement | null} pressed Disabled in the meantime.
 */
export async function createAndOpen(body, pressed = null) {
  if (pressed) pressed.disabled = true;
  try {
    const { game, players, host_token, invites } = await skye.games.create(body);
    keepTokens(game.id, { seats: players.flatMap(({ token }) => (token ? [token] : [])), host: host_token, invites });
    location.assign(`/play/?game=${encodeURIComponent(game.id)}`);
  } catch (error) {
    toastError(error);
    if (pressed) pressed.disabled = false;
  }
}

/**
 * Create a game like one that is over, for the same players: our seats and the bots sit down at once, the others are
 * invited.
 *
 * @param {Game} game
 * @param {(number | null)[]} ours The seats that are played here.
 * @param {HTMLButtonElement} pressed
 */
export function playAgain(game, ours, pressed) {
  const { tie_break, open_gold, turn_ms, on_timeout } = game.options;
  const here = game.players.filter(({ seat }) => ours.includes(seat)).map(({ name, color }) => ({ name, color }));
  const bots = game.players.filter(({ bot }) => bot).map(({ bot, name, color }) => ({ bot, name, color }));
  const invited = Array.from({ length: game.players.length - here.length - bots.length }, () => ({ invite: true }));
  return createAndOpen(/** @type {any} */ ({
    name: game.name, private: game.private, seats: game.players.length, start: invited.length === 0,
    players: [...here, ...bots, ...invited], options: { tie_break, open_gold, on_timeout, ...(turn_ms === null ? {} : { turn_ms }) },
  }), pressed);
}
