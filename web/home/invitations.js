import { skye } from "../state/api.js";
import { button, h, hide, keyed } from "../shared/dom.js";
import { number, t } from "../shared/i18n.js";
import { dropToken } from "./my-games.js";
import { share } from "./share.js";
import { toastError } from "../shared/toast.js";
import { gameUrl } from "../shared/urls.js";
import { saveTokens, tokensOf } from "../state/tokens.js";

/** @typedef {import("../state/store.js").Store} Store */

/** Create the list of links that the host sends to the invited players, one for each reserved seat. @param {Store} store */
export function inviteList(store) {
  const rows = h("ul", { class: "invites" });
  const root = h("div", { hidden: true }, h("p", {}, t("invite.text")), rows);
  let checked = -1;

  /** @param {{code: string, index: number}} invite */
  function row({ code, index }) {
    const name = t("invite.link", { seat: number(index + 1) });
    return { root: h("li", {}, h("span", {}, name), button(t("invite.copy"), () => void share(gameUrl(store.id, "invite", code), ""),
      { class: "small", "data-act": "invite-link", "aria-label": `${t("invite.copy")}: ${name}` })), show() {} };
  }

  /** Forget the invitations that have been used: fewer are open than saved. */
  async function check() {
    const { reserved_seats: reserved } = store.view;
    const { host, invitations = [] } = tokensOf(store.id);
    if (checked === reserved || invitations.length <= reserved || !host) return;
    checked = reserved;
    const open = new Set((await skye.game(store.id, host).invitations()).map(({ id }) => id));
    for (const { id, code } of invitations) if (!open.has(id)) dropToken(store.id, code);
    store.changed();
  }

  function codes() {
    return (tokensOf(store.id).invitations ?? []).map(({ code }) => code);
  }

  return { root, codes, show() {
    hide(root, store.view.reserved_seats === 0 || codes().length === 0);
    keyed(rows, codes().map((code, index) => ({ code, index })), ({ code, index }) => `${index}${code}`, row);
    check().catch(toastError);
  } };
}

/** Save a new invitation for the host's list. @param {string} game @param {{id: string, code: string}} invitation */
export function saveInvite(game, { id, code }) {
  saveTokens(game, { invitations: [...tokensOf(game).invitations ?? [], { id, code }] });
}
