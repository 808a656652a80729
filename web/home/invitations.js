import { skye } from "../state/api.js";
import { button, h, setText } from "../shared/dom.js";
import { list, number, t } from "../shared/i18n.js";
import { dropToken } from "./my-games.js";
import { share } from "./share.js";
import { toastError } from "../shared/toast.js";
import { gameUrl } from "../shared/urls.js";
import { saveTokens, tokensOf } from "../state/tokens.js";

/** @typedef {import("../state/store.js").Store} Store */
/** @typedef {{id: string, code: string | null, number: number, copied?: boolean}} Invite */

/**
 * Keep the invitations of a lobby for its host: each reserves a seat, and has a link for the player.
 *
 * @param {Store} store
 * @param {(id: string) => void} withdraw Revokes an invitation.
 */
export function openInvitations(store, withdraw) {
  /**
   * The open invitations that another device has created, and has the codes of.
   *
   * @type {Invite[]}
   */
  let elsewhere = [];
  /** What was compared with the server last. */
  let checked = "";

  /** Create the row of a seat that an invitation reserves. @param {Invite} invite */
  function row({ id, code, number: given, copied }) {
    const name = t("invite.link", { seat: number(given) });
    const noted = copied ? t("menu.copied") : code || isRematch() ? "" : t("invite.elsewhere");
    const mark = h("span", { class: "faint" }, noted);
    const copy = () => {
      void share(gameUrl(store.id, "invite", code), "");
      saveTokens(store.id, { invitations: saved().map((one) => (one.id === id ? { ...one, copied: true } : one)) });
      setText(mark, t("menu.copied"));
    };
    const link = button(t("invite.copy"), copy, {
      class: "small",
      "data-act": "invite-link",
      "aria-label": `${t("invite.copy")}: ${name}`,
    });
    const take = button(t("invite.withdraw"), () => withdraw(id), {
      class: "small",
      "data-act": "withdraw",
      "aria-label": `${t("invite.withdraw")}: ${name}`,
    });
    const root = h(
      "li",
      { class: "invited" },
      emptyMark(),
      name,
      " ",
      mark,
      h("div", { class: "bar" }, code && link, take),
    );
    return { root, update() {} };
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

  /** Return whom a rematch waits for, and what the host does with links; empty without reserved seats. */
  function hint() {
    const { players, reserved_seats: reserved } = store.view;
    if (reserved === 0) return "";
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
    hint,
    codes: () => saved().map(({ code }) => code),
    /** Return the rows of the reserved seats, as far as we know their invitations. */
    rows() {
      check().catch(toastError);
      return [...saved(), ...elsewhere]
        .sort((a, b) => a.number - b.number)
        .map((invite) => ({ key: `${invite.id}${invite.code ?? ""}`, make: () => row(invite) }));
    },
  };
}

/** Create the sign of a seat that nobody has taken, in the place of the mark of a colour. */
export function emptyMark() {
  return h("span", { class: "mark empty", "aria-hidden": "true" }, "●");
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
