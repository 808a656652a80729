import { loadScoringTiles, skye } from "../state/api.js";
import { Games } from "../../clients/typescript/src/games.js";
import { sleep } from "../../clients/typescript/src/transport.js";
import { create, createAndOpen } from "./create.js";
import { saveGuideStep } from "../state/guide-step.js";
import { botTitle, loadBots } from "../shared/bots.js";
import { button, form, h, section } from "../shared/dom.js";
import { plain, t } from "../shared/i18n.js";
import { gameOptions } from "./game-options.js";
import { gameRow } from "./game-row.js";
import { languageChoice } from "./language-choice.js";
import { ladderEntry } from "../ladder/entry.js";
import { forget, loadGame, myGames } from "./my-games.js";
import { nameForm } from "./player-name.js";
import { matchmaking } from "./matchmaking.js";
import { knownPlayer } from "./own-player.js";
import { toastError } from "../shared/toast.js";
import { fileUrl, gameUrl } from "../shared/urls.js";

/** @typedef {import("../shared/bots.js").Bot} Bot */

const POLL_MS = 4000;
/** When a browser that reports no idle time is taken to be idle, in milliseconds. */
const IDLE_MS = 2000;
/** The opponents of the quickest game: bots of medium strength. */
const QUICK_BOT = "greedy";
const QUICK_OPPONENTS = 2;
/** How many public games are listed in each status, in the order of the list: those that can be joined come first. */
const MAX_PUBLIC = /** @type {const} */ ([
  ["lobby", 20],
  ["playing", 8],
  ["finished", 3],
]);

/** Show the front page: a new game, our games, and public games. @param {Element} app */
export async function openFront(app) {
  const [bots, scoring] = await Promise.all([
    loadBots().catch((error) => {
      toastError(error);
      return [];
    }),
    loadScoringTiles(null).catch((error) => {
      toastError(error);
      return null;
    }),
  ]);
  const counts = (scoring?.round_tables ?? []).map(({ players }) => players);
  const mine = h("div", {});
  const open = h("div", {});
  const player = nameForm();
  const hunts = h("span", {});
  const ladders = ladderEntry();
  const root = h(
    "div",
    { class: "front-page" },
    h("header", { class: "head" }, h("h1", {}, "Isle of Skye"), languageChoice()),
    h(
      "main",
      { class: "front" },
      hero(player.name, bots, counts),
      h(
        "div",
        { class: "stack" },
        player.root,
        section(t("front.mine"), mine, ...finishedGames()),
        againstBots(player.name, bots, counts),
        withFriends(player.name, counts, scoring),
      ),
      h(
        "div",
        { class: "stack" },
        section(t("matchmaking.title"), h("p", {}, t("matchmaking.text")), matchmaking(player, counts), ladders.root),
        section(t("front.public"), open),
      ),
      h(
        "p",
        { class: "faint links" },
        button(
          t("menu.rules"),
          () => void import("../game/rules.js").then(({ showRules }) => showRules(null)).catch(toastError),
          { class: "small", "data-act": "rules" },
        ),
        button(
          t("key.title"),
          () => void import("./player-key.js").then(({ showPlayerKey }) => showPlayerKey(), toastError),
          { class: "small", "data-act": "player-key" },
        ),
        " ",
        ladders.links,
        hunts,
        h("a", { href: "/docs", hreflang: "en" }, t("front.guide")),
        " · ",
        h("a", { href: "/docs/reference", hreflang: "en" }, t("front.reference")),
      ),
    ),
  );
  app.replaceChildren(root);
  performance.measure("skye-ready");
  whenIdle(() => {
    Promise.all([import("../game/open-game.js"), import("../game/game-page.js")]).catch(() => {}); // a game requests them again
  });
  void skye.transport
    .json("GET", "/v1")
    .then((index) => {
      if (index.ladders) ladders.show();
      return index.lab && skye.transport.json("GET", index.lab);
    })
    .then((lab) => {
      if (lab?.hunts) hunts.append(h("a", { href: "/play/?hunts" }, t("hunt.title")), " · ");
    }, toastError);
  for (;;) {
    if (document.visibilityState === "visible" && root.isConnected) {
      await Promise.all([showPublic(open), showMine(mine)]).catch(toastError);
    }
    if (!root.isConnected) return;
    await sleep(POLL_MS);
  }
}

/** Run a function when the browser is idle. @param {() => void} run */
function whenIdle(run) {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(run);
  else setTimeout(run, IDLE_MS);
}

/** Return the finished games of the player of this browser, loaded when they are opened; none without a player key. */
function finishedGames() {
  const player = knownPlayer();
  if (!player) return [];
  return [
    whenOpened("past-games", t("past.title"), async (box) => {
      const { pastGames } = await import("./past-games.js");
      const past = pastGames();
      box.append(past.root);
      await past.show(player.games);
    }),
  ];
}

/**
 * Create a folded part whose content is loaded when it is opened.
 *
 * @param {string} kind Its class.
 * @param {string} title
 * @param {(box: HTMLElement) => Promise<void>} load Adds the content.
 */
function whenOpened(kind, title, load) {
  const box = h("details", { class: kind }, h("summary", {}, title));
  box.addEventListener("toggle", () => void load(box).catch(toastError), { once: true });
  return box;
}

/**
 * Create the picture of a land with the quickest ways into a game.
 *
 * @param {() => string | null} myName
 * @param {Bot[]} bots
 * @param {number[]} counts
 */
function hero(myName, bots, counts) {
  const bot = (bots.find(({ name }) => name === QUICK_BOT) ?? bots[0])?.name;
  const opponents = Math.min(QUICK_OPPONENTS, Math.max(...counts) - 1);
  const play = (/** @type {Event} */ event) => {
    const name = myName();
    const players = [{ name }, ...Array.from({ length: opponents }, () => ({ bot }))];
    if (name !== null) void createAndOpen(againstBotsBody(players, "private"), pressed(event));
  };
  const quick = button(t("front.play"), play, { class: "primary", "data-act": "play", hidden: !bot || !counts.length });
  return h(
    "section",
    { class: "hero panel" },
    h("img", { src: fileUrl("land.svg"), alt: "", width: 984, height: 375 }),
    h(
      "div",
      {},
      h("h2", {}, t("front.tagline")),
      h("p", { class: "faint" }, t("front.play_text")),
      h("div", { class: "bar" }, quick, guidedRound(myName)),
      h("p", { class: "faint" }, t("guide.text")),
    ),
  );
}

/**
 * Return the request for a game against bots that starts at once.
 *
 * @param {object[]} players
 * @param {"public" | "private"} visibility
 */
function againstBotsBody(players, visibility) {
  return /** @type {Parameters<typeof createAndOpen>[0]} */ ({
    players,
    auto_start: true,
    visibility,
    name: t("front.game_name"),
  });
}

/** Create the button that begins a guided first round. @param {() => string | null} myName */
function guidedRound(myName) {
  const begin = async (/** @type {Event} */ event) => {
    const name = myName();
    if (name === null) return;
    const players = [{ name }, { bot: /** @type {const} */ ("random") }];
    const created = await create(
      { scenario: "first_round", players, visibility: "private", name: t("guide.title") },
      pressed(event),
    );
    if (!created) return;
    saveGuideStep(created.game.id, 0);
    location.assign(gameUrl(created.game.id));
  };
  return button(t("guide.start"), (event) => void begin(event), { "data-act": "guide" });
}

/**
 * Create the section with a button for each bot, which starts a game.
 *
 * @param {() => string | null} myName
 * @param {Bot[]} bots
 * @param {number[]} counts
 */
function againstBots(myName, bots, counts) {
  const count = h(
    "select",
    { "aria-label": t("front.opponents"), name: "bots" },
    ...counts.map((players) => h("option", { value: players - 1 }, t("front.bots", { count: players - 1 }))),
  );
  const listed = h("input", { type: "checkbox", name: "listed" });
  const start = (/** @type {any} */ bot, /** @type {HTMLButtonElement | null} */ from) => {
    const name = myName();
    const opponents = Array.from({ length: Number(count.value) }, () => bot);
    if (name !== null)
      void createAndOpen(againstBotsBody([{ name }, ...opponents], listed.checked ? "public" : "private"), from);
  };
  const levels = bots.map((bot) =>
    button(botTitle(bot), (event) => start({ bot: bot.name }, pressed(event)), {
      "data-level": bot.name,
    }),
  );
  return section(
    t("front.bots_title"),
    h("p", {}, t("front.bots_text")),
    h("div", { class: "bar" }, ...levels),
    h(
      "div",
      { class: "bar" },
      h("label", {}, t("front.opponents"), " ", count),
      h("label", { class: "check" }, listed, t("front.listed")),
    ),
    whenOpened("", t("front.bot_url"), async (box) => {
      const { botAtUrl } = await import("./bot-at-url.js");
      box.append(...botAtUrl(start));
    }),
  );
}

/**
 * @param {() => string | null} myName
 * @param {number[]} counts
 * @param {import("../state/api.js").ScoringTiles | null} scoring
 */
function withFriends(myName, counts, scoring) {
  const seats = h(
    "select",
    { "aria-label": t("front.seats"), name: "seats" },
    ...counts.map((number) =>
      h("option", { value: number, selected: number === 4 }, t("front.players", { count: number })),
    ),
  );
  const secret = h("input", { type: "checkbox", name: "private", checked: true });
  const choices = gameOptions(scoring);
  secret.addEventListener("change", () => choices.setPublic(!secret.checked));
  const creating = form(
    "bar",
    (from) => {
      const name = myName();
      if (name === null) return;
      const invited = Array.from({ length: secret.checked ? Number(seats.value) - 1 : 0 }, () => ({
        invite: /** @type {const} */ (true),
      }));
      void createAndOpen(
        {
          players: [{ name }, ...invited],
          seat_count: Number(seats.value),
          visibility: secret.checked ? "private" : "public",
          name: plain(t("front.game_of", { name })).slice(0, 60),
          options: choices.options(),
        },
        from,
      );
    },
    seats,
    h("label", { class: "check" }, secret, t("front.private")),
    choices.root,
    h("button", { class: "primary", "data-act": "friends" }, t("front.create")),
  );
  return section(t("front.friends_title"), h("p", {}, t("front.friends_text")), creating);
}

/** Return the button that an event came from. @param {Event} event */
function pressed({ target }) {
  return target instanceof HTMLButtonElement ? target : null;
}

/** @param {Element} box */
async function showPublic(box) {
  const listed = new Games(skye.transport);
  const pages = await Promise.all(MAX_PUBLIC.map(([status, limit]) => listed.list({ status, limit })));
  replaceList(
    box,
    pages.flatMap(({ games }) => games.map((game) => gameRow(game))),
    plain(t("front.none", { private: t("front.private") })),
  );
}

/** Return what a game waits for us to do: to come back, or to take our turn. @param {import("../state/api.js").Game} game */
function callIn({ status, you: { seat }, players, waiting_for: waiting }) {
  if (status !== "playing" || seat === null) return "";
  if (players[seat].takeover) return t("front.away");
  return waiting.includes(seat) ? t("front.your_turn") : "";
}

/** @param {Element} box */
async function showMine(box) {
  const games = await Promise.all(
    myGames()
      .slice(0, 20)
      .map((id) =>
        loadGame(id).then(
          ({ view, token }) => {
            if (!token) forget(id);
            return token ? view : null;
          },
          (error) => {
            if (error.code === "game_not_found") forget(id);
            return null;
          },
        ),
      ),
  );
  const found = games
    .filter((game) => game !== null)
    .map((game) => ({ game, call: callIn(game) }))
    .sort((a, b) => Number(!a.call) - Number(!b.call) || Date.parse(b.game.created_at) - Date.parse(a.game.created_at));
  const rows = found.map(({ game, call }) => gameRow(game, game.you.seat, call));
  replaceList(box, rows, t("front.no_mine"));
}

/**
 * Show a list of games, or a text for none, unless its text is the same or it has the focus.
 *
 * @param {Element} box
 * @param {Element[]} rows
 * @param {string} none
 */
function replaceList(box, rows, none) {
  const list = rows.length ? h("ul", { class: "games" }, ...rows) : h("p", { class: "faint" }, none);
  if (box.textContent === list.textContent || box.contains(document.activeElement)) return;
  box.replaceChildren(list);
}
