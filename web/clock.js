/** Milliseconds that the clock of the server is ahead of ours. */
let offsetMs = 0;

/**
 * Learn the time of the server.
 *
 * @param {string | number | null | undefined} at A time of the server that has just passed.
 */
export function setServerTime(at) {
  const time = typeof at === "string" ? Date.parse(at) : at;
  if (typeof time === "number" && !Number.isNaN(time)) offsetMs = time - Date.now();
}

/** An event has happened: the server's clock cannot be behind it. @param {string} at */
export function advanceServerTime(at) {
  const ahead = Date.parse(at) - Date.now();
  if (ahead > offsetMs) offsetMs = ahead;
}

/** @param {string} deadline @returns {number} Milliseconds left, by the clock of the server. */
export function remainingMs(deadline) {
  return Math.max(0, Date.parse(deadline) - Date.now() - offsetMs);
}

/** @param {number} ms @returns {string} Such as 1:05 or 2:00:00. */
export function formatDuration(ms) {
  const seconds = Math.ceil(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
