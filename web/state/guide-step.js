import { loadItem, saveItem } from "./items.js";

const PREFIX = "skye.guide.";

/** Return how far the guided round of a game has come; null for a game without a guide. @param {string} id */
export function guideStep(id) {
  const stored = loadItem(PREFIX + id);
  return stored === null ? null : Number(stored);
}

/** @param {string} id @param {number} step */
export function saveGuideStep(id, step) {
  saveItem(PREFIX + id, String(step));
}
