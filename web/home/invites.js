import { ApiError } from "../../clients/typescript/src/errors.js";
import { skye } from "../state/api.js";
import { button, h, hide, keyed } from "../shared/dom.js";
import { number, t } from "../shared/i18n.js";
import { dropToken } from "./my-games.js";
import { inviteLink, share } from "./share.js";
import { saveTokens, tokensOf } from "../state/tokens.js";

/** @typedef {import("../state/store.js").Store} Store */

/**
 * Create the list of links that the host sends to the invited players, one for each reserved seat.
 *
 * @param {Store} store
 */
export function inviteList(store) {
  const rows = h("ul", { class: "invites" });
  const root = h("div", { hidden: true }, h("p", {}, t("invite.text")), rows);
  let checked = -1;

  /** @param {{code: string, index: number}} invite */
  function row({ code, index }) {
    const name = t("invite.link", { seat: number(index + 1) });
    return { root: h("li", {}, h("span", {}, name), button(t("invite.copy"), () => void share(inviteLink(store.id, code), ""),
      { class: "small", "data-act": "invite-link", "aria-label": `${t("invite.copy")}: ${name}` })), show() {} };
  }

  /** Remove the codes that have been used: fewer are open than saved, and the server rejects a used one. */
  async function check() {
    const { reserved_seats: reserved } = store.view;
    if (checked === reserved || codes().length <= reserved) return;
    checked = reserved;
    for (const code of codes()) {
      await skye.game(store.id, code).get().catch((error) => {
        if (error instanceof ApiError && error.status < 500) dropToken(store.id, code);
      });
    }
    store.changed();
  }

  /** @returns {string[]} */
  function codes() {
    return tokensOf(store.id).invites ?? [];
  }

  return { root, codes, show() {
    hide(root, store.view.reserved_seats === 0 || codes().length === 0);
    keyed(rows, codes().map((code, index) => ({ code, index })), ({ code, index }) => `${index}${code}`, row);
    void check();
  } };
}

/**
 * Save a new invitation code for the host's list.
 *
 * @param {string} id
 * @param {string} code
 */
export function saveInvite(id, code) {
  const tokens = tokensOf(id);
  saveTokens(id, { ...tokens, invites: [...tokens.invites ?? [], code] });
}
