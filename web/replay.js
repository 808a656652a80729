import { openTable } from "./table.js";

/**
 * @param {Element} app
 * @param {string} game
 */
export async function openReplay(app, game) {
  await openTable(app, game);
}
