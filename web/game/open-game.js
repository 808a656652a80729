import { ApiError } from "../../clients/typescript/src/errors.js";
import { loadLanguage, t } from "../shared/i18n.js";
import { loadTileSheet } from "../state/pictures.js";
import { Store } from "../state/store.js";
import { toast, toastError } from "../shared/toast.js";
import { tokenFor, tokensOf } from "../state/tokens.js";
import { persistent } from "../state/items.js";

/** How many games have been opened: one that loads slowly must not replace one that was opened later. */
let opened = 0;
let closeLatest = () => {};

/**
 * Show a game in place of the current one.
 *
 * @param {Element} app
 * @param {string} id
 * @param {number} [chosen] The index of our seat, if this browser has several.
 */
export async function openGame(app, id, chosen = 0) {
  const opening = ++opened;
  closeLatest();
  const { seats } = tokensOf(id);
  const store = new Store(id, tokenFor(id, chosen));
  const reopen = (/** @type {number} */ seat) => void openGame(app, id, seat).catch(toastError);
  store.onGone = (error) => void gone(error).catch(toastError);
  const made = makePage(store, chosen, reopen); // while the game is loaded
  const close = () => { store.close(); made.then((page) => page.close(), () => {}); };
  closeLatest = close;
  try {
    await Promise.all([store.open(), made, loadTileSheet()]); // one request for all pictures
  } catch (error) {
    await loadLanguage();
    if (opening !== opened) return;
    close();
    if (await forgetToken(store, error)) {
      if (opening !== opened) return;
      toastError(error);
      return openGame(app, id);
    }
    return problem(error);
  }
  if (opening !== opened) return;
  await (await made).open(app);
  if (opening !== opened) return;
  if (!persistent && seats.length) toast(t("tokens.memory_only"));
  performance.measure("skye-ready");

  /** Open the game without the token that the server no longer accepts; of a private game, only say that it cannot be shown. @param {unknown} error */
  async function gone(error) {
    if (error instanceof ApiError && error.code === "game_not_found") { close(); return problem(error); }
    toastError(error);
    const dropped = await forgetToken(store, error);
    if (opening === opened) reopen(dropped ? 0 : chosen);
  }

  /** @param {unknown} error */
  async function problem(error) {
    const { showProblem } = await import("../shared/problem.js");
    if (opening === opened) showProblem(app, error);
  }
}

/** @param {ConstructorParameters<typeof import("./game-page.js").GamePage>} parameters */
async function makePage(...parameters) {
  const [{ GamePage }] = await Promise.all([import("./game-page.js"), loadLanguage()]);
  return new GamePage(...parameters);
}

/**
 * Forget a token that the server no longer accepts.
 *
 * @param {Store} store
 * @param {unknown} error
 * @returns {Promise<boolean>} Whether the error was that the token is unknown.
 */
async function forgetToken({ id, token }, error) {
  if (!token || !(error instanceof ApiError) || error.code !== "token_unknown") return false;
  (await import("../home/my-games.js")).dropToken(id, token);
  return true;
}
