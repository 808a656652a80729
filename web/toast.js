import { ApiError, ConnectionError } from "./client/errors.js";
import { alertNow, button, h, setText } from "./dom.js";
import { has, t } from "./i18n.js";

const SHOWN_MS = 8000;

/**
 * Explain an error in the language of the page, by its code.
 *
 * @param {unknown} error
 */
export function explain(error) {
  if (error instanceof ApiError) {
    const key = `error.${error.code}`;
    return has(key) ? t(key, error.params) : error.message;
  }
  return error instanceof ConnectionError ? t("error.unreachable") : String(error);
}

/** @param {unknown} error Shown for a while, and spoken at once. */
export function toastError(error) {
  alertNow(explain(error));
  const details = error instanceof ApiError && error.requestId
    ? h("details", {}, h("summary", {}, t("toast.details")), h("code", {}, `${error.code} · ${error.requestId}`)) : null;
  const retry = error instanceof ApiError && error.retryAfterMs ? countdown(error.retryAfterMs) : null;
  show("bad", h("span", {}, errorText(error), " ", retry), details);
}

/** The time until the server accepts a request again. @param {number} ms */
function countdown(ms) {
  const left = h("span", {});
  const end = Date.now() + ms;
  const tick = () => {
    const seconds = Math.ceil((end - Date.now()) / 1000);
    setText(left, seconds > 0 ? t("toast.retry", { count: seconds }) : "");
    if (seconds > 0) setTimeout(tick, 1000);
  };
  tick();
  return left;
}

/** The explanation of an error; what only the server can say is in English. @param {unknown} error */
export function errorText(error) {
  const isProse = error instanceof ApiError && !has(`error.${error.code}`);
  return h("span", isProse ? { lang: "en" } : {}, explain(error));
}

/** @param {string} text */
export function toast(text) {
  show("", h("span", {}, text), null);
}

/**
 * @param {string} kind
 * @param {Element} message
 * @param {Element | null} details
 */
function show(kind, message, details) {
  const box = h("div", { class: `toast ${kind}` }, message, details,
    button("×", () => box.remove(), { class: "quiet", "aria-label": t("toast.close") }));
  document.getElementById("toasts")?.append(box);
  setTimeout(() => { if (!box.matches(":focus-within, :hover")) box.remove(); }, SHOWN_MS);
}
