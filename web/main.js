import { loadLanguage } from "./i18n.js";
import { toastError } from "./toast.js";
import { takeFromFragment } from "./tokens.js";

/** Choose the screen by the address. */
async function main() {
  const app = document.getElementById("app");
  const asked = new URLSearchParams(location.search);
  const game = asked.get("game");
  if (game) takeFromFragment(game);
  const language = loadLanguage();
  if (!app) return;
  if (game && !asked.has("replay")) return (await import("./open-table.js")).openTable(app, game);
  await language;
  if (game) await (await import("./replay.js")).openReplay(app, game);
  else await (await import("./front.js")).openFront(app);
}

main().catch(async (error) => {
  const app = document.getElementById("app");
  if (app && !app.hasChildNodes()) (await import("./problem.js")).showProblem(app, error);
  else toastError(error);
}).catch(toastError);
