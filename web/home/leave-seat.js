import { replaceToken } from "../state/replace-token.js";
import { saveTokens, tokenFor } from "../state/tokens.js";
import { confirmation } from "../shared/confirmation.js";
import { t } from "../shared/i18n.js";
import { toastError } from "../shared/toast.js";
import { dropToken } from "./my-games.js";

/**
 * Ask whether our seat is to be given up; then leave the lobby, or let a bot play on, and show the game with the rights that are left.
 *
 * @param {import("../state/store.js").Store} store
 * @param {(seat: number) => void} reopen
 * @param {boolean} host Whether this browser has the host token.
 * @param {HTMLElement} from The button that was pressed.
 */
export function askToLeave(store, reopen, host, from) {
  const lobby = store.view.status === "lobby";
  const resigning = store.view.rated ? "rated.resign_question" : "menu.resign_question";
  const question = t(!lobby ? resigning : host ? "lobby.leave_host" : "lobby.leave_question");
  confirmation(question, t(lobby ? "lobby.leave" : "menu.resign"), () => void leave().catch(toastError)).open(from);

  async function leave() {
    const { token, seat } = store;
    if (seat === null || !token) return;
    if (lobby) saveTokens(store.id, { lobby: null }); // other tabs do not take it for a removal by the host
    await replaceToken(store, () => (lobby ? store.game.seat(seat).leave() : store.game.seat(seat).resign()));
    dropToken(store.id, token);
    if (store.view.visibility === "private" && !tokenFor(store.id)) {
      if (lobby) return location.assign("/play/"); // we can no longer see it
      saveTokens(store.id, { watch: token }); // it still shows what spectators see
    }
    reopen(0);
  }
}
