/** How far the server's clock is ahead of this browser's, in milliseconds. */
let offsetMs = 0;

/**
 * Set the offset of the server's clock.
 *
 * @param {string | number | null | undefined} at The current time of the server.
 */
export function setServerTime(at) {
  const time = typeof at === "string" ? Date.parse(at) : at;
  if (typeof time === "number" && !Number.isNaN(time)) offsetMs = time - Date.now();
}

/** Advance the server's clock to the time of an event, if it is behind. @param {string} at */
export function advanceServerTime(at) {
  const ahead = Date.parse(at) - Date.now();
  if (ahead > offsetMs) offsetMs = ahead;
}

/** Return the milliseconds to a deadline by the server's clock, 0 after it. @param {string} deadline */
export function remainingMs(deadline) {
  return Math.max(0, Date.parse(deadline) - Date.now() - offsetMs);
}

/** Return a duration as in 1:05 or 2:00:00. @param {number} ms */
export function formatDuration(ms) {
  const seconds = Math.ceil(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
