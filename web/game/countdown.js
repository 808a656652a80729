import { setText } from "../shared/dom.js";
import { t } from "../shared/i18n.js";

/** Show the time until the server accepts a request again. @param {Element} element @param {number} ms */
export function countDown(element, ms) {
  const end = Date.now() + ms;
  const tick = () => {
    const seconds = Math.ceil((end - Date.now()) / 1000);
    setText(element, seconds > 0 ? t("toast.retry", { count: seconds }) : "");
    if (seconds > 0) setTimeout(tick, 1000);
  };
  tick();
}
