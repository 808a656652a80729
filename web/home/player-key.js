import { ApiError } from "../../clients/typescript/src/errors.js";
import { OwnGames } from "../../clients/typescript/src/games.js";
import { openDialog } from "../shared/dialog.js";
import { button, form, h } from "../shared/dom.js";
import { showInvalid } from "../shared/invalid-field.js";
import { has, t } from "../shared/i18n.js";
import { skye } from "../state/api.js";
import { pastGames } from "./past-games.js";
import { toastError } from "../shared/toast.js";

/**
 * @typedef {import("../../clients/typescript/src/resources.js").Result<"list_own_webhooks">["webhooks"][number]} Webhook
 */

const PATH = "/v1/me/webhooks";

/** Show the page of a player key: its webhooks and its finished games. The key is kept only while the dialog is open. */
export function showPlayerKey() {
  const field = h("input", { name: "key", type: "password", required: true, autocomplete: "off", spellcheck: "false" });
  const url = h("input", { name: "url", type: "url", required: true, maxlength: 2000 });
  const rows = h("ul", { class: "list-rows" });
  const secret = h("p", {});
  const adding = fieldForm(t("webhook.add"), url, t("webhook.url"), add);
  const past = pastGames();
  const hooks = h("section", { hidden: true }, rows, adding, secret, h("h3", {}, t("past.title")), past.root);
  openDialog(
    t("key.title"),
    "player-key",
    h("p", {}, t("key.what"), " ", t("key.text")),
    fieldForm(t("key.show"), field, t("key.title"), show),
    hooks,
  );

  /** Send a request with the player key. @param {string} method @param {string} path @param {any} [body] */
  function request(method, path, body) {
    return skye.transport.json(method, path, { token: field.value.trim(), body });
  }

  async function show() {
    await list();
    await past.show(new OwnGames(skye.transport, field.value.trim()));
  }

  async function list() {
    const { webhooks } = await request("GET", PATH);
    rows.replaceChildren(...webhooks.map(row));
    if (!webhooks.length) rows.replaceChildren(h("li", {}, t("webhook.none")));
    hooks.hidden = false;
  }

  async function add() {
    const created = await request("POST", PATH, { url: url.value.trim() });
    secret.replaceChildren(t("webhook.secret"), " ", h("code", {}, created.secret));
    url.value = "";
    await list();
  }

  /** @param {Webhook} webhook */
  function row({ id, url: target, status, problem }) {
    const act = (/** @type {string} */ method, /** @type {string} */ path) => () =>
      void request(method, `${PATH}/${encodeURIComponent(id)}${path}`)
        .then(list)
        .catch(toastError);
    return h(
      "li",
      {},
      h("bdi", {}, target),
      " ",
      h("span", { class: "badge" }, has(`webhook.${status}`) ? t(`webhook.${status}`) : status),
      problem ? h("span", { class: "faint", lang: "en" }, problem) : null,
      button(t("webhook.test"), act("POST", "/test"), { class: "small" }),
      button(t("webhook.delete"), act("DELETE", ""), { class: "small" }),
    );
  }
}

/**
 * Create a form with one field; an error is shown at the field.
 *
 * @param {string} label
 * @param {HTMLInputElement} field
 * @param {string} name
 * @param {() => Promise<void>} act
 */
function fieldForm(label, field, name, act) {
  const root = form(
    "bar",
    () =>
      act().catch((error) =>
        showInvalid(error instanceof ApiError && error.code === "token_unknown" ? t("key.unknown") : error, root),
      ),
    h("label", {}, name, " ", field),
    h("button", { class: "primary" }, label),
  );
  return root;
}
