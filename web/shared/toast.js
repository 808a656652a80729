import { ApiError, ConnectionFailedError } from "../../clients/typescript/src/errors.js";
import { alertNow, announce, button, h, liveRegion } from "./dom.js";
import { has, t } from "./i18n.js";

const SHOWN_MS = 8000;

/** Explain an error in the language of the page, by its code. @param {unknown} error */
export function explain(error) {
  if (error instanceof ApiError) {
    const key = textKey(error);
    return has(key) ? t(key, error.params) : error.detail;
  }
  return error instanceof ConnectionFailedError ? t("error.unreachable") : String(error);
}

/** Return the key of the text about an error: of an invitation that is over, by the reason. @param {ApiError} error */
function textKey({ code, params }) {
  const reason = `${code}.${params.invitation_end}`;
  return has(reason) ? reason : `error.${code}`;
}

/** Show an error for a while, and let screen readers speak it at once. @param {unknown} error */
export function toastError(error) {
  alertNow(explain(error));
  const details = errorDetails(error);
  const retry = h("span", {});
  const wait = error instanceof ApiError && error.retryAfterMs;
  if (wait)
    import("../game/countdown.js").then(
      ({ countDown }) => countDown(retry, wait),
      () => {},
    );
  show("bad", h("span", {}, errorText(error), " ", retry), details);
}

/** Return the code of an error and the id of its request, for those who report it. @param {unknown} error */
export function errorDetails(error) {
  return error instanceof ApiError && error.requestId
    ? h("details", {}, h("summary", {}, t("toast.details")), h("code", {}, `${error.code} · ${error.requestId}`))
    : null;
}

/** Return the explanation of an error; the server's own texts are marked as English. @param {unknown} error */
export function errorText(error) {
  const isProse = error instanceof ApiError && !has(textKey(error));
  return h("span", isProse ? { lang: "en" } : {}, explain(error));
}

/** Show a text for a while, and let screen readers speak it when they are idle. @param {string} text */
export function toast(text) {
  announce(text);
  show("", h("span", {}, text), null);
}

/** @param {string} kind @param {Element} message @param {Element | null} details */
function show(kind, message, details) {
  const box = h(
    "div",
    { class: `toast ${kind}` },
    message,
    details,
    button("×", () => box.remove(), { class: "quiet", "aria-label": t("toast.close") }),
  );
  liveRegion("toasts")?.append(box);
  setTimeout(() => {
    if (!box.matches(":focus-within, :hover")) box.remove();
  }, SHOWN_MS);
}
