import { loadLanguage } from "./i18n.js";
import { toastError } from "./toast.js";
import { takeFromFragment } from "./tokens.js";

/** Choose the screen by the address. */
async function main() {
  const app = document.getElementById("app");
  const asked = new URLSearchParams(location.search);
  const game = asked.get("game");
  if (game) takeFromFragment(game);
  await loadLanguage();
  if (!app) return;
  if (!game) await (await import("./front.js")).openFront(app);
  else if (asked.has("replay")) await (await import("./replay.js")).openReplay(app, game);
  else await (await import("./table.js")).openTable(app, game);
}

main().catch(async (error) => {
  const app = document.getElementById("app");
  if (app && !app.hasChildNodes()) (await import("./problem.js")).showProblem(app, error);
  else toastError(error);
}).catch(toastError);
