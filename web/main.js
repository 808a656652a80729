import { h, nextTask } from "./dom.js";
import { loadLanguage } from "./i18n.js";
import { toastError } from "./toast.js";
import { takeFromFragment } from "./tokens.js";

/** The modules that an open table imports, without those that index.html preloads. */
const TABLE = [
  ["client/fold", "client/events", "client/sse", "clock", "follow", "tabs"], ["unsettled", "pictures", "table", "board", "edges", "settings"],
  ["place", "viewport", "header", "keys", "lazy", "log"], ["panes", "market", "seats", "menu", "motion", "pricing", "scores"],
];

/** Open the screen that the URL names. */
async function main() {
  const app = document.getElementById("app");
  const asked = new URLSearchParams(location.search);
  const game = asked.get("game");
  if (game) takeFromFragment(game);
  const language = loadLanguage();
  if (!app) return;
  if (game && !asked.has("replay")) {
    void preload(TABLE);
    return (await import("./open-table.js")).openTable(app, game);
  }
  await language;
  if (game) await (await import("./replay.js")).openReplay(app, game);
  else await (await import("./front.js")).openFront(app);
}

/** Preload modules, each group in a separate task: all at once would be a long task. @param {string[][]} groups */
async function preload(groups) {
  for (const names of groups) {
    await nextTask();
    document.head.append(...names.map((name) => h("link", { rel: "modulepreload", href: new URL(`./${name}.js`, import.meta.url) })));
  }
}

main().catch(async (error) => {
  const app = document.getElementById("app");
  if (app && !app.hasChildNodes()) (await import("./problem.js")).showProblem(app, error);
  else toastError(error);
}).catch(toastError);
