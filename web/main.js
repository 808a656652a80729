import { sleep } from "../clients/typescript/src/transport.js";
import { loadLanguage } from "./shared/i18n.js";
import { toastError } from "./shared/toast.js";
import { followPastedLinks, takeFromFragment } from "./state/tokens.js";

/** Open the screen that the URL names. */
async function main() {
  await sleep(0); // the browser has just spent a long task on the script
  const app = document.getElementById("app");
  const asked = new URLSearchParams(location.search);
  const game = asked.get("game");
  const host = game && takeFromFragment(game);
  const language = loadLanguage();
  if (!app) return;
  if (host)
    void import("./home/host-token.js").then(({ askToReplaceHost }) => askToReplaceHost(game, host)).catch(toastError);
  if (game && !asked.has("replay")) return (await import("./game/open-game.js")).openGame(app, game);
  await language;
  if (game) await (await import("./game/replay.js")).openReplay(app, game);
  else if (["ladder", "player", "profile"].some((page) => asked.has(page)))
    await (await import("./ladder/pages.js")).openLadderPage(app, asked);
  else if (asked.has("hunts")) await (await import("./home/hunts.js")).openHunts(app);
  else await (await import("./home/front.js")).openFront(app);
}

followPastedLinks();
main()
  .catch(async (error) => {
    const app = document.getElementById("app");
    if (app && !app.hasChildNodes()) (await import("./shared/problem.js")).showProblem(app, error);
    else toastError(error);
  })
  .catch(toastError);
