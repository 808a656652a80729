import { ApiError } from "../../clients/typescript/src/errors.js";
import { knownPlayer, ownPlayer } from "../home/own-player.js";
import { duration } from "../home/option-texts.js";
import { confirmation } from "../shared/confirmation.js";
import { form, h, hide } from "../shared/dom.js";
import { dateTime, t } from "../shared/i18n.js";
import { errorText } from "../shared/toast.js";
import { loadItem, saveItem } from "../state/items.js";

/** @typedef {import("../../clients/typescript/src/resources.js").Result<"get_own_profile">} Profile */

/** The name of the own profile, as it was last seen: the pages mark it. */
const NAME = "skye.profile";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Return the own name as this browser has last seen it, or null. */
export function ownName() {
  return loadItem(NAME);
}

/** Keep the name of the own profile; null if there is none. @param {string | null} name */
export function saveOwnName(name) {
  saveItem(NAME, name);
}

/** Return the profile of this browser's player; null without a key or a profile. @returns {Promise<Profile | null>} */
export async function loadOwnProfile() {
  const player = knownPlayer();
  let profile = null;
  try {
    profile = player ? await player.profile() : null;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "profile_not_found") throw error;
  }
  saveOwnName(profile?.name ?? null);
  return profile;
}

/**
 * Create the form that claims a name, or changes the profile.
 *
 * @param {Profile | null} profile
 * @param {(profile: Profile) => void} saved
 * @param {boolean} [all] Whether the form has all fields, or the name only.
 */
export function profileForm(profile, saved, all = true) {
  const stays = profile !== null && Date.parse(profile.name_changeable_at) > Date.now();
  const hasPlayed = profile !== null && profile.expires_at === null;
  const isFinalBot = hasPlayed && profile.bot;
  const marking = confirmation(t("profile.bot_question"), t("profile.bot_mark"), () => void put());
  const name = h("input", {
    name: "name",
    required: true,
    minlength: 3,
    maxlength: 20,
    pattern: "[a-z0-9_\\-]{3,20}",
    title: t("profile.name_form"),
    value: profile?.name ?? "",
    readonly: stays,
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    oninput: () => {
      name.value = name.value.toLowerCase();
    },
  });
  const description = h("input", { name: "description", maxlength: 300, value: profile?.description ?? "" });
  const link = h("input", { name: "link", type: "url", maxlength: 2048, value: profile?.link ?? "" });
  const bot = h("input", { name: "bot", type: "checkbox", checked: profile?.bot ?? false, disabled: isFinalBot });
  const trouble = h("p", { class: "trouble", role: "alert" });
  const act = profile ? "save-profile" : "claim";
  const send = h("button", { class: "primary", "data-act": act }, t(profile ? "profile.save" : "profile.claim"));
  const hint = stays ? t("profile.name_stays", { time: dateTime(profile.name_changeable_at) }) : t("profile.name_form");
  let sending = false;
  /** Remove what was said about the last attempt. */
  const forgive = () => {
    hide(trouble, true);
    trouble.replaceChildren();
  };
  const root = form(
    "profile-form",
    () => (hasPlayed && bot.checked && !profile.bot ? marking.open(send) : put()),
    h("label", {}, t("profile.name"), " ", name),
    h("p", { class: "faint" }, hint),
    ...(all
      ? [
          h("label", {}, t("profile.description"), " ", description),
          h("label", {}, t("profile.link"), " ", link),
          h("label", { class: "check" }, bot, t("profile.bot")),
          isFinalBot ? h("p", { class: "faint" }, t("error.bot_is_final")) : null,
        ]
      : []),
    trouble,
    h("div", { class: "bar" }, send),
  );
  root.addEventListener("input", forgive);

  async function put() {
    if (sending) return;
    sending = true; // a disabled button would lose the focus
    forgive();
    try {
      const found = await ownPlayer().putProfile({
        name: name.value,
        bot: bot.checked,
        ...(description.value.trim() && { description: description.value.trim() }),
        ...(link.value && { link: link.value }),
      });
      saveOwnName(found.name);
      saved(found);
    } catch (error) {
      trouble.replaceChildren(reason(error));
      hide(trouble, false);
      fieldOf(error)?.focus();
    }
    sending = false;
  }

  /** Return the field that an error is about, if it is about one. @param {unknown} error */
  function fieldOf(error) {
    if (!(error instanceof ApiError)) return null;
    if (["profile_name_taken", "renamed_lately"].includes(error.code)) return name;
    const field = root.elements.namedItem(error.errors[0]?.pointer?.slice(1) ?? "");
    return field instanceof HTMLInputElement ? field : null;
  }

  return { root, focus: () => name.focus() };
}

/** Explain why a profile cannot be written. @param {unknown} error */
function reason(error) {
  if (!(error instanceof ApiError)) return errorText(error);
  if (error.code === "renamed_lately") {
    const seconds = Number(error.params.seconds);
    return t("profile.name_stays", { time: dateTime(new Date(Date.now() + 1000 * seconds).toISOString()) });
  }
  if (error.code === "too_many_requests" && (error.retryAfterMs ?? 0) > HOUR_MS)
    return t("profile.too_many", { time: duration(Math.ceil((error.retryAfterMs ?? DAY_MS) / HOUR_MS) * HOUR_MS) });
  if (error.code !== "invalid_body") return errorText(error);
  const field = error.errors[0]?.pointer?.slice(1);
  return field === "name" ? t("profile.name_form") : h("span", { lang: "en" }, error.errors[0]?.detail ?? error.detail);
}
