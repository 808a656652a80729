/** The URL of the page's script; a module does not know it, because a distribution joins all modules. */
const BASE = document.querySelector("script")?.src ?? location.href;

/** Return the URL of a file of the page. @param {string} name */
export function fileUrl(name) {
  return new URL(name, BASE);
}

/**
 * Return the URL of a game.
 *
 * @param {string} id
 * @param {"seat" | "invite" | "watch"} [right] What a token in the URL allows: to play a seat, to take one, or to watch.
 * @param {string | null} [token]
 */
export function gameUrl(id, right, token) {
  return `${location.origin}/play/?game=${encodeURIComponent(id)}${token ? `#${right}=${token}` : ""}`;
}
