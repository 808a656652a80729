import { ApiError } from "../../clients/typescript/src/errors.js";
import { sleep } from "../../clients/typescript/src/transport.js";
import { skye } from "../state/api.js";
import { announce, attribute, button, h, hide, setText } from "../shared/dom.js";
import { createAndOpen } from "../home/create.js";
import { list, t } from "../shared/i18n.js";
import { lazyPart } from "../shared/lazy.js";
import { resultPanel } from "./result.js";
import { toastError } from "../shared/toast.js";
import { gameUrl } from "../shared/urls.js";
import { addSeatToken, saveTokens, tokenFor, tokensOf } from "../state/tokens.js";

/** @typedef {import("../state/store.js").Store} Store */
/** @typedef {import("../../clients/typescript/src/resources.js").Result<"get_rematch">["game"]} Rematch */

const POLL_MS = 4000;

/**
 * Create the panel with the result of a game, the rematch and the replay.
 *
 * @param {Store} store
 * @param {(seat: number) => void} explain Shows what earned the points of a seat.
 */
export function endPanel(store, explain) {
  const rematch = rematchPanel(store);
  const replay = h("a", { class: "button", href: `${gameUrl(store.id)}&replay=1` }, t("result.replay"));
  const picture = button(
    t("result.picture"),
    () => void import("./result-picture.js").then(({ saveResult }) => saveResult(store.view)).catch(toastError),
    { "data-act": "picture" },
  );
  const rated = lazyPart(
    () => Boolean(store.view.rated),
    async () => (await import("../ladder/changes.js")).ratingChanges(store, () => result.update()),
  );
  const result = resultPanel(store, explain, () => rated.part, rated.root, rematch.root, replay, picture);
  return {
    root: result.root,
    update() {
      rated.update();
      result.update();
      hide(picture, store.view.status !== "finished");
      if (store.view.status === "finished") rematch.update();
    },
  };
}

/**
 * Create the panel of the rematch of a finished game. The first player creates it; the pages of the others poll for it,
 * because the events of the old game have ended.
 *
 * @param {Store} store
 */
function rematchPanel(store) {
  /** @type {Rematch} */
  let found = null;
  let polling = false;
  const text = h("span", {});
  const again = button(t(store.view.rated ? "rematch.unrated" : "result.again"), () => void play(), {
    class: store.view.rated ? "" : "primary",
    "data-act": "again",
    hidden: true,
  });
  const link = h("a", { class: "button", "data-act": "rematch", hidden: true }, t("rematch.open"));
  const root = h("div", { class: "bar rematch" }, text, again, link);

  async function poll() {
    polling = true;
    while (root.isConnected) {
      try {
        if (document.visibilityState === "visible") found = await store.game.findRematch();
      } catch (error) {
        if (error instanceof ApiError && error.status < 500) return; // the old game is gone
      }
      update();
      await sleep(POLL_MS);
    }
  }

  /** Take the seats of this browser in the new game, and open it. */
  async function play() {
    if (resignedAlone(store)) return createAndOpen(sameAgain(store.view), again);
    again.disabled = true;
    try {
      open(await takeSeats());
    } catch (error) {
      again.disabled = false;
      toastError(error);
    }
  }

  /** @returns {Promise<string>} The id of the new game. */
  async function takeSeats() {
    let id = "";
    for (const token of tokensOf(store.id).seats) {
      try {
        const taken = await skye.game(store.id, token).rematch();
        id = taken.game.id;
        addSeatToken(id, taken.token ?? token);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "already_seated") throw error;
        id = String(error.params.game_id);
        if (!tokenFor(id)) throw error; // taken on another device, which has the token
      }
    }
    return id;
  }

  /** Open the new game, of which the host token is that of the old game. @param {string} id */
  function open(id) {
    const { host } = tokensOf(store.id);
    const names = store.view.players.flatMap(({ bot, name }) => (bot ? [] : [name]));
    if (host) saveTokens(id, { host, rematch: names });
    location.assign(gameUrl(id));
  }

  function update() {
    if (!polling && root.isConnected) void poll();
    const seated = store.seat !== null && !store.me?.bot;
    const joined = found !== null && tokensOf(found.id).seats.length > 0;
    const isJoinable = seated && !joined && (found === null || found.status === "lobby");
    hide(again, !isJoinable && !resignedAlone(store));
    hide(link, found === null || !again.hidden);
    if (found) attribute(link, "href", gameUrl(found.id));
    const people = (found?.players ?? []).filter(({ bot }) => !bot).map(({ name }) => name);
    const asked = people.length ? t("rematch.asked", { count: people.length, names: list(people) }) : "";
    const note = store.view.origin !== null && isJoinable ? t("rematch.whole") : "";
    const shown = [asked, note].filter(Boolean).join(" ");
    if (shown !== text.textContent) announce(shown);
    setText(text, shown);
  }

  return { root, update };
}

/**
 * Return whether this browser hosts a game against bots of the server whose only person has resigned. A resigned seat
 * takes part in no rematch.
 *
 * @param {Store} store
 */
function resignedAlone({ id, seat, view }) {
  const bots = view.players.filter(({ end }) => end.type !== "resigned");
  const isAgainstBots = bots.every(({ bot, end }) => bot !== null && bot !== "url" && end.type === "played");
  return seat === null && tokensOf(id).host !== null && isAgainstBots && bots.length === view.players.length - 1;
}

/**
 * Return the request for a new game with the players and options of a game that its only person has resigned from.
 *
 * @param {Store["view"]} view
 * @returns {Parameters<typeof createAndOpen>[0]}
 */
function sameAgain({ name, visibility, ruleset, options, players }) {
  const ofOldGame = ["first_seat", "host_may_abort"]; // no rematch has them
  const chosen = Object.entries(options).filter(([key, value]) => value !== null && !ofOldGame.includes(key));
  return /** @type {any} */ ({
    players: players.map(({ name: called, color, bot, end }) =>
      end.type === "resigned" ? { name: called, color } : { bot, name: called, color },
    ),
    auto_start: true,
    visibility,
    name,
    ruleset,
    options: Object.fromEntries(chosen),
  });
}
