import { h, nextTask } from "./shared/dom.js";
import { loadLanguage } from "./shared/i18n.js";
import { toastError } from "./shared/toast.js";
import { takeFromFragment } from "./state/tokens.js";

/** The modules that an open game imports, without those that index.html preloads. */
const GAME_PAGE = [
  ["../clients/typescript/src/fold", "../clients/typescript/src/events", "../clients/typescript/src/sse", "../clients/typescript/src/following", "./state/clock", "./state/event-stream", "./state/tabs"], ["./state/unsettled", "./state/pictures", "./game/game-page", "./game/board", "./game/edges", "./state/settings"],
  ["./game/place", "./game/viewport", "./game/header", "./shared/keys", "./shared/lazy", "./shared/bots", "./shared/focus", "./game/log"], ["./game/panes", "./game/market", "./game/seats", "./shared/menu", "./shared/motion", "./game/pricing", "./game/scores"],
];

/** Open the screen that the URL names. */
async function main() {
  const app = document.getElementById("app");
  const asked = new URLSearchParams(location.search);
  const game = asked.get("game");
  const host = game && takeFromFragment(game);
  const language = loadLanguage();
  if (!app) return;
  if (host) void import("./home/host-token.js").then(({ askToReplaceHost }) => askToReplaceHost(game, host)).catch(toastError);
  if (game && !asked.has("replay")) {
    void preload(GAME_PAGE);
    return (await import("./game/open-game.js")).openGame(app, game);
  }
  await language;
  if (game) await (await import("./game/replay.js")).openReplay(app, game);
  else await (await import("./home/front.js")).openFront(app);
}

/** Preload modules, each group in a separate task: all at once would be a long task. @param {string[][]} groups */
async function preload(groups) {
  for (const names of groups) {
    await nextTask();
    document.head.append(...names.map((name) => h("link", { rel: "modulepreload", href: new URL(`${name}.js`, import.meta.url) })));
  }
}

main().catch(async (error) => {
  const app = document.getElementById("app");
  if (app && !app.hasChildNodes()) (await import("./shared/problem.js")).showProblem(app, error);
  else toastError(error);
}).catch(toastError);
