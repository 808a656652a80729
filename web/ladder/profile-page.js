import { ApiError, ConnectionFailedError } from "../../clients/typescript/src/errors.js";
import { Player } from "../../clients/typescript/src/player.js";
import { knownPlayer, ownPlayer, saveOwnKey } from "../home/own-player.js";
import { share } from "../home/share.js";
import { confirmation } from "../shared/confirmation.js";
import { button, form, h, section } from "../shared/dom.js";
import { dateTime, t } from "../shared/i18n.js";
import { playerUrl } from "../shared/rating.js";
import { toastError } from "../shared/toast.js";
import { skye } from "../state/api.js";
import { rulesLink } from "./ladders.js";
import { loadOwnProfile, profileForm, saveOwnName } from "./own-profile.js";

/**
 * Create the page of the own profile: its form, and the key that it belongs to.
 *
 * @param {(done: string) => Promise<void>} again Shows the page again, and what was done.
 */
export async function profilePage(again) {
  const profile = await loadOwnProfile();
  const fields = profileForm(profile, () => void again(t("profile.saved")).catch(toastError));
  const deleting = confirmation(t("profile.delete_question"), t("profile.delete"), () => void drop().catch(toastError));
  const removal = button(t("profile.delete"), () => deleting.open(removal), { "data-act": "delete-profile" });

  async function drop() {
    await ownPlayer().deleteProfile();
    saveOwnName(null);
    await again(t("profile.deleted"));
  }

  const shown = profile
    ? [
        h("p", {}, h("a", { href: playerUrl(profile.name) }, t("profile.public"))),
        profile.expires_at && h("p", { class: "faint" }, t("profile.expires", { time: dateTime(profile.expires_at) })),
        fields.root,
        h("div", { class: "bar removal" }, removal),
      ]
    : [h("p", {}, t("profile.none"), " ", rulesLink()), fields.root];
  return {
    title: t("profile.title"),
    parts: [section(profile ? profile.name : t("profile.claim_title"), ...shown), keyPart(again)],
  };
}

/** Create the part with the player key of this browser. @param {(done: string) => Promise<void>} again */
function keyPart(again) {
  const player = knownPlayer();
  const field = h("input", { name: "key", type: "password", required: true, autocomplete: "off", spellcheck: "false" });
  const replacing = confirmation(t("profile.key_replace"), t("profile.key_use"), () => void use());
  const send = h("button", { "data-act": "use-key" }, t("profile.key_use"));
  const other = form(
    "bar",
    () => (player ? replacing.open(send) : void use()),
    h("label", {}, t("key.title"), " ", field),
    send,
  );

  /** Keep a key of the player in this browser, once the server accepts it. */
  async function use() {
    const key = field.value.trim();
    try {
      await new Player(skye.transport, key).get();
    } catch (error) {
      const isKnown = error instanceof ApiError && error.code !== "token_unknown";
      return toastError(isKnown || error instanceof ConnectionFailedError ? error : t("key.unknown"));
    }
    saveOwnKey(key);
    await again(t("profile.key_kept")).catch(toastError);
  }

  return section(
    t("key.title"),
    h("p", {}, t("key.what"), " ", t("key.kept")),
    player
      ? button(
          t("profile.key_copy"),
          () => void share(player.key, t("profile.key_warning"), undefined, t("key.title")).catch(toastError),
          {
            "data-act": "copy-key",
          },
        )
      : null,
    h("details", {}, h("summary", {}, t("profile.key_other")), other),
  );
}
