import { sleep } from "../../clients/typescript/src/transport.js";

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Create an element. Strings among the children become text, never markup.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} [props] Attributes; `onclick` and such are listeners.
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...present(children));
  return element;
}

/**
 * Set an attribute, or remove it for null and false.
 *
 * @param {Element} element
 * @param {string} name
 * @param {string | number | boolean | null | undefined} value
 */
export function attribute(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value))
    element.setAttribute(name, value === true ? "" : String(value));
}

/** @param {(Child | Child[])[]} children @returns {(Node | string)[]} */
function present(children) {
  return /** @type {any[]} */ (children.flat())
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}

/** @param {Node} element @param {string | number} text */
export function setText(element, text) {
  if (element.textContent !== String(text)) element.textContent = String(text);
}

/**
 * Return a function that draws only when its inputs differ from those of the last call.
 *
 * @returns {(inputs: unknown, draw: () => void) => void}
 */
export function whenChanged() {
  let drawn = "";
  return (inputs, draw) => {
    const wanted = JSON.stringify(inputs);
    if (wanted === drawn) return;
    drawn = wanted;
    draw();
  };
}

/** @type {WeakMap<Element, Map<string, {root: Element, update: (item: any) => void}>>} */
const parts = new WeakMap();

/**
 * Show a list. The element of an item is created once and reused, so that it keeps the focus and typed text.
 *
 * @template Item
 * @param {Element} parent
 * @param {Item[]} items
 * @param {(item: Item) => string | number} keyOf
 * @param {(item: Item) => {root: Element, update: (item: Item) => void}} make
 */
export function keyed(parent, items, keyOf, make) {
  const known = parts.get(parent) ?? new Map();
  parts.set(parent, known);
  const keys = new Set(items.map((item) => String(keyOf(item))));
  for (const [key, part] of known)
    if (!keys.has(key)) {
      part.root.remove();
      known.delete(key);
    }
  items.forEach((item, index) => {
    const key = String(keyOf(item));
    const part = known.get(key) ?? make(item);
    known.set(key, part);
    part.update(item);
    if (parent.children[index] !== part.root) parent.insertBefore(part.root, parent.children[index] ?? null);
  });
}

/**
 * Create a button with a text.
 *
 * @param {Child} label
 * @param {(event: MouseEvent) => void} onclick
 * @param {Record<string, any>} [props]
 */
export function button(label, onclick, props = {}) {
  return h("button", { type: "button", onclick, ...props }, label);
}

/**
 * Create a form whose fields the page sends itself.
 *
 * @param {string} kind Its class.
 * @param {(pressed: HTMLButtonElement | null) => unknown} submit
 * @param {...Child} children
 */
export function form(kind, submit, ...children) {
  return h(
    "form",
    {
      class: kind,
      onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        liveRegion("toasts")?.replaceChildren(); // they are about what was sent before
        void submit(/** @type {HTMLButtonElement | null} */ (event.submitter));
      },
    },
    ...children,
  );
}

/** Create a part of a page with a title. @param {string} title @param {...Child} children */
export function section(title, ...children) {
  return h("section", { class: "panel" }, h("h2", {}, title), ...children);
}

/** The dialogs that are open; the page below them is inert. @type {HTMLDialogElement[]} */
export const openDialogs = [];

/**
 * Return the live region of the page, or while a dialog is open one like it in the dialog: all outside of it is inert.
 *
 * @param {"status" | "alert" | "toasts"} kind
 */
export function liveRegion(kind) {
  const page = document.getElementById(kind);
  const dialog = openDialogs.at(-1);
  if (!page || !dialog) return page;
  const own = dialog.querySelector(`.${kind}`) ?? dialog.appendChild(/** @type {Element} */ (page.cloneNode()));
  own.removeAttribute("id");
  return own;
}

/** Let a screen reader speak a text when it is idle (`aria-live=polite`). @param {string} text */
export function announce(text) {
  const status = liveRegion("status");
  if (status && text) status.textContent = text;
}

/** Let a screen reader speak a text at once (`role=alert`). @param {string} text */
export function alertNow(text) {
  const alert = liveRegion("alert");
  if (alert) alert.textContent = text;
}

/**
 * @template {HTMLElement} T
 * @param {T} element
 * @param {boolean} hidden
 */
export function hide(element, hidden) {
  if (element.hidden !== hidden) element.hidden = hidden;
}

/**
 * Run a function in the next task; where the browser has priorities, before it renders a frame.
 *
 * @param {() => void} run
 */
export function soon(run) {
  const { scheduler } = /** @type {any} */ (globalThis);
  if (scheduler?.postTask) void scheduler.postTask(run, { priority: "user-blocking" });
  else setTimeout(run);
}

/** Wait for a task after the next frame; in a hidden page, which has no frames, for the next task. */
export async function afterFrame() {
  if (!document.hidden) await new Promise(requestAnimationFrame);
  await sleep(0);
}
