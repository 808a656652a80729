import { Player } from "../../clients/typescript/src/player.js";
import { skye } from "../state/api.js";
import { loadItem, saveItem } from "../state/items.js";

const KEY = "skye.player";

/** Return the player of this browser, null if it has no key yet. */
export function knownPlayer() {
  const key = loadItem(KEY);
  return key && new Player(skye.transport, key);
}

/** Return the player of this browser; create its key on first use. */
export function ownPlayer() {
  const found = new Player(skye.transport, loadItem(KEY) ?? undefined);
  saveItem(KEY, found.key);
  return found;
}

/** Keep another key as that of this browser's player. @param {string} key */
export function saveOwnKey(key) {
  saveItem(KEY, key);
}
