/** The URL of the page's script; a module does not know it, because a distribution joins all modules. */
const BASE = document.querySelector("script")?.src ?? location.href;

/** Return the URL of a file of the page. @param {string} name */
export function fileUrl(name) {
  return new URL(name, BASE);
}
