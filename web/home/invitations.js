import { skye } from "../state/api.js";
import { button, h, hide, keyed, setText } from "../shared/dom.js";
import { list, number, t } from "../shared/i18n.js";
import { dropToken } from "./my-games.js";
import { share } from "./share.js";
import { toastError } from "../shared/toast.js";
import { gameUrl } from "../shared/urls.js";
import { saveTokens, tokensOf } from "../state/tokens.js";

/** @typedef {import("../state/store.js").Store} Store */
/** @typedef {{id: string, code: string | null, number: number, copied?: boolean}} Invite */

/**
 * Create the list of links that the host sends to the invited players, one for each reserved seat.
 *
 * @param {Store} store
 * @param {(id: string) => void} withdraw Revokes an invitation.
 */
export function inviteList(store, withdraw) {
  const text = h("p", {});
  const rows = h("ul", { class: "invites" });
  const root = h("div", { hidden: true }, text, rows);
  /**
   * The open invitations that another device has created, and has the codes of.
   *
   * @type {Invite[]}
   */
  let elsewhere = [];
  /** What was compared with the server last. */
  let checked = "";

  /** @param {Invite} invite */
  function row({ id, code, number: given, copied }) {
    const name = t("invite.link", { seat: number(given) });
    const mark = h("span", { class: "faint" }, copied ? t("menu.copied") : "");
    const copy = () => {
      if (code) void share(gameUrl(store.id, "invite", code), "");
      saveTokens(store.id, { invitations: saved().map((one) => (one.id === id ? { ...one, copied: true } : one)) });
      setText(mark, t("menu.copied"));
    };
    const link = code
      ? button(t("invite.copy"), copy, {
          class: "small",
          "data-act": "invite-link",
          "aria-label": `${t("invite.copy")}: ${name}`,
        })
      : isRematch()
        ? ""
        : h("span", { class: "faint" }, t("invite.elsewhere"));
    const take = button(t("invite.withdraw"), () => withdraw(id), {
      class: "small",
      "data-act": "withdraw",
      "aria-label": `${t("invite.withdraw")}: ${name}`,
    });
    return { root: h("li", {}, h("span", {}, name), link, take, mark), update() {} };
  }

  /**
   * Compare our invitations with those of the server: forget what has been used, and list what another device has
   * created.
   */
  async function check() {
    const { reserved_seats: reserved, version } = store.view;
    const { host, invitations = [] } = tokensOf(store.id);
    const known = `${version}.${invitations.length}`;
    if (!host || checked === known || invitations.length + elsewhere.length === reserved) return;
    checked = known;
    const open = await skye.game(store.id, host).invitations();
    for (const { id, code } of invitations) if (!open.some((one) => one.id === id)) dropToken(store.id, code);
    const ours = saved().map(({ id }) => id);
    elsewhere = open.filter(({ id }) => !ours.includes(id)).map((one) => ({ ...one, code: null }));
    store.changed();
  }

  /** Return the invitations of which this browser has the codes. */
  function saved() {
    return tokensOf(store.id).invitations ?? [];
  }

  /** Return whether seats are reserved for the players of an old game, who need no link. */
  function isRematch() {
    return Boolean(tokensOf(store.id).rematch);
  }

  /** Return whom a rematch waits for, and what the host does with links. */
  function hint() {
    const { players, reserved_seats: reserved } = store.view;
    const links = saved().length;
    const parts = [links > 0 || !isRematch() ? t("invite.text") : ""];
    if (isRematch() && reserved > links) {
      const seated = players.map(({ name }) => name);
      const names = (tokensOf(store.id).rematch ?? []).filter((name) => !seated.includes(name));
      const again = { button: t("result.again") };
      const isNamed = names.length === reserved - links; // a withdrawn invitation does not show whose seat it was
      parts.unshift(
        isNamed
          ? t("rematch.waiting", { count: names.length, names: list(names), ...again })
          : t("rematch.waiting_others", again),
        t("lobby.starts_itself"),
      );
    }
    return parts.filter(Boolean).join(" ");
  }

  return {
    root,
    codes: () => saved().map(({ code }) => code),
    update() {
      hide(root, store.view.reserved_seats === 0);
      setText(text, hint());
      keyed(
        rows,
        [...saved(), ...elsewhere].sort((a, b) => a.number - b.number),
        ({ id, number: given, code }) => `${given}${id}${code ?? ""}`,
        row,
      );
      check().catch(toastError);
    },
  };
}

/**
 * Save a new invitation for the host's list.
 *
 * @param {string} game
 * @param {{id: string, code: string, number: number}} invitation
 */
export function saveInvite(game, invitation) {
  saveTokens(game, { invitations: [...(tokensOf(game).invitations ?? []), invitation] });
}

/** Remove an invitation that the host has withdrawn. @param {string} game @param {string} id */
export function dropInvite(game, id) {
  saveTokens(game, { invitations: tokensOf(game).invitations?.filter((one) => one.id !== id) });
}
