import { h } from "./dom.js";
import { toastError } from "./toast.js";

/**
 * Create a part of the screen whose module is loaded when the part is first needed.
 *
 * @template {{root: HTMLElement, update: () => void}} Part
 * @param {() => boolean} needed
 * @param {() => Promise<Part>} load
 */
export function lazyPart(needed, load) {
  const root = h("span", { hidden: true });
  const lazy = {
    root: /** @type {HTMLElement} */ (root),
    part: /** @type {Part | null} */ (null),
    loading: /** @type {Promise<void> | null} */ (null),
    update() {
      if (lazy.part) lazy.part.update();
      else if (needed()) lazy.prepare();
    },
    prepare() {
      lazy.loading ??= begin();
    },
  };

  async function begin() {
    try {
      const part = await load();
      root.replaceWith(part.root);
      Object.assign(lazy, { part, root: part.root });
      part.update();
    } catch (error) {
      lazy.loading = null;
      toastError(error);
    }
  }

  return lazy;
}
