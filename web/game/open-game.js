import { sleep } from "../../clients/typescript/src/transport.js";
import { ApiError } from "../../clients/typescript/src/errors.js";
import { dropRefused } from "../home/my-games.js";
import { loadLanguage, t } from "../shared/i18n.js";
import { BASE, loadRuleset } from "../shared/rulesets.js";
import { loadTileSheet } from "../state/pictures.js";
import { Store } from "../state/store.js";
import { toast, toastError } from "../shared/toast.js";
import { saveTokens, tokenFor, tokensOf } from "../state/tokens.js";
import { persistent } from "../state/items.js";

/** How many games have been opened: one that loads slowly must not replace one that was opened later. */
let opened = 0;
let closeLatest = () => {};

/** @typedef {NonNullable<import("../state/types.js").Tokens["lobby"]>} Seated */

/**
 * Show a game in place of the current one.
 *
 * @param {Element} app
 * @param {string} id
 * @param {number} [chosen] The index of our seat, if this browser has several.
 * @param {Seated | true | null} [dropped] What is known of the seat of a token that was dropped just before, because the
 *   server refuses it.
 * @returns {Promise<void>}
 */
export async function openGame(app, id, chosen = 0, dropped = null) {
  const opening = ++opened;
  closeLatest();
  const { seats } = tokensOf(id);
  const store = new Store(id, tokenFor(id, chosen));
  const reopen = (/** @type {number} */ seat) => void openGame(app, id, seat).catch(toastError);
  store.onGone = (error) => void gone(error).catch(toastError);
  const made = makePage(store, chosen, reopen); // while the game is loaded
  const close = () => {
    store.close();
    made.then(
      (page) => page.close(),
      () => {},
    );
  };
  closeLatest = close;
  try {
    // One request for all pictures, most often those of the base game: it does not wait for the ruleset of this game.
    await Promise.all([store.open().then(keepSeat), made, loadTileSheet(BASE)]);
    await loadRuleset(store.view.ruleset);
  } catch (error) {
    await loadLanguage();
    if (opening !== opened) return;
    close();
    const seated = seatedWith(id, store.token);
    return dropRefused(id, store.token, error) ? openGame(app, id, 0, seated ?? true) : problem(error);
  }
  if (opening !== opened) return;
  await (await made).open(app);
  if (opening !== opened) return;
  if (!persistent && seats.length) toast(t("tokens.memory_only"));
  const told = dropped ? whyDropped(store, dropped) : whyWatching(store);
  if (told) toastError(told);
  performance.measure("skye-ready");

  /** Save the seat that we have in the lobby, so that the page can tell a player why it was lost. */
  function keepSeat() {
    const { seat, token, view } = store;
    if (token && seat !== null && view.status === "lobby")
      saveTokens(id, { lobby: { token, seat, event: view.last_event } });
  }

  /**
   * Open the game without the token that the server no longer accepts; if no other one shows it, say that it cannot
   * be shown.
   *
   * @param {unknown} error
   */
  async function gone(error) {
    if (opening !== opened) return;
    if (error instanceof ApiError && error.code === "invitation_over") return reopen(chosen); // which gets the reason
    const seated = seatedWith(id, store.token);
    if (dropRefused(id, store.token, error)) return openGame(app, id, 0, seated ?? true);
    if (error instanceof ApiError && error.code === "game_not_found") {
      close();
      return problem(error);
    }
    toastError(error);
    reopen(chosen);
  }

  /** @param {unknown} error */
  async function problem(error) {
    const { showProblem } = await import("../shared/problem.js");
    if (opening !== opened) return;
    opened++; // it no longer opens
    showProblem(app, whyRefused(id, error));
  }
}

/** @param {Parameters<typeof import("./game-page.js").gamePage>} parameters */
async function makePage(...parameters) {
  await sleep(0); // the requests come first
  const [{ gamePage }] = await Promise.all([import("./game-page.js"), loadLanguage()]);
  await sleep(0);
  return gamePage(...parameters);
}

/** Return what is known of the seat that a token had in the lobby. @param {string} id @param {string | null} token */
function seatedWith(id, token) {
  const { lobby } = tokensOf(id);
  return lobby?.token === token ? lobby : null;
}

/** Return whether the host has removed a player from a seat of the lobby since it was ours. @param {Store} store @param {Seated} seated */
function wasRemoved({ log }, { seat, event }) {
  return log.some((one) => one.id > event && one.type === "player_left" && one.removed && one.seat === seat);
}

/**
 * Return why a game cannot be shown: why we have no seat there, if that is known, also after a reload.
 *
 * @param {string} id
 * @param {unknown} error
 */
function whyRefused(id, error) {
  return (error instanceof ApiError && error.code === "game_not_found" && whyNoSeat(id)) || error;
}

/** Return why our invitation to a game is over, or that our seat is lost; null if neither is known. @param {string} id */
function whyNoSeat(id) {
  const { over } = tokensOf(id);
  if (!over) return null;
  if (over === "lost") return t("tokens.lost");
  return new ApiError(410, { code: "invitation_over", params: { invitation_end: over } });
}

/** Return why a token was dropped, as an error or a text. @param {Store} store @param {Seated | true} dropped */
function whyDropped(store, dropped) {
  if (dropped !== true && wasRemoved(store, dropped)) return t("tokens.removed");
  return store.token ? t("error.token_unknown") : (whyWatching(store) ?? t("tokens.watching"));
}

/** Return why we watch a game in which we had a seat or an invitation, also after a reload. @param {Store} store */
function whyWatching(store) {
  if (store.token) return null;
  const { over, lobby } = tokensOf(store.id);
  if (over !== "lost") return whyNoSeat(store.id);
  return lobby && wasRemoved(store, lobby) ? t("tokens.removed") : null;
}
