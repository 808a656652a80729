const PREFIX = "skye.guide.";

/** The steps in a browser without storage; they last as long as the page. @type {Map<string, number>} */
const memory = new Map();

/** Return how far the guided round of a game has come; null for a game without a guide. @param {string} id */
export function guideStep(id) {
  try {
    const stored = localStorage.getItem(PREFIX + id);
    return stored === null ? memory.get(id) ?? null : Number(stored);
  } catch {
    return memory.get(id) ?? null;
  }
}

/** @param {string} id @param {number} step */
export function saveGuideStep(id, step) {
  memory.set(id, step);
  try { localStorage.setItem(PREFIX + id, String(step)); } catch { /* as long as the page */ }
}
