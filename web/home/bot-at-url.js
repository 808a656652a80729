import { form, h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";

/**
 * Create the form of a game against a program of the player.
 *
 * @param {(bot: {bot_url: string, secret?: string}, from: HTMLButtonElement | null) => void} start
 */
export function botAtUrl(start) {
  const url = h("input", {
    type: "url",
    name: "bot-url",
    required: true,
    placeholder: "http://127.0.0.1:5000/bot",
    "aria-label": t("front.bot_url"),
  });
  const secret = h("input", {
    name: "bot-secret",
    autocomplete: "off",
    placeholder: t("front.bot_secret"),
    "aria-label": t("front.bot_secret"),
  });
  return [
    h("p", { class: "faint" }, t("front.bot_url_text")),
    form(
      "bar",
      (from) => start({ bot_url: url.value, ...(secret.value && { secret: secret.value }) }, from),
      url,
      secret,
      h("button", { "data-act": "bot-url" }, t("front.bot_play")),
    ),
  ];
}
