import { skye } from "../state/api.js";
import { confirmation } from "../shared/confirmation.js";
import { button, h, hide, setText } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { openHelp } from "../shared/keys.js";
import { languageChoice } from "../home/language-choice.js";
import { askToLeave } from "../home/leave-seat.js";
import { forget } from "../home/my-games.js";
import { replaceToken } from "../state/replace-token.js";
import { guideStep, saveGuideStep } from "../state/guide-step.js";
import { canPause, pause } from "./pause.js";
import { canProposeAbort, isShared, mayEndAlone } from "./proposal.js";
import { settingBox } from "./setting-box.js";
import { share } from "../home/share.js";
import { toast, toastError } from "../shared/toast.js";
import { gameUrl } from "../shared/urls.js";
import { saveTokens, tokensOf } from "../state/tokens.js";

/** @typedef {import("../state/store.js").Store} Store */

/** Ask the browser whether the page may show notifications. @param {HTMLInputElement} box */
async function askToNotify(box) {
  if (!box.checked || (await Notification.requestPermission()) === "granted") return;
  toast(t("notify.denied"));
  box.click();
}

/**
 * Create the items of a game's menu. A button among them, Escape, and a click elsewhere close the menu.
 *
 * @param {Store} store
 * @param {number} chosen
 * @param {(seat: number) => void} reopen
 * @param {HTMLDetailsElement} menu
 */
export function menuItems(store, chosen, reopen, menu) {
  const shareSeat = () =>
    button(
      t("menu.seat_link"),
      () =>
        store.token &&
        void share(gameUrl(store.id, "seat", store.token), t("menu.seat_warning"), isOver() ? undefined : renew),
      { "data-act": "seat-link" },
    );
  const isOver = () => ["finished", "aborted"].includes(store.view.status);
  const seat = shareSeat();
  const linkFirst = shareSeat();
  const forgetting = confirmation(
    t("menu.forget_question"),
    t("menu.forget"),
    () => {
      forget(store.id);
      location.assign("/play/");
    },
    linkFirst,
  );
  const guide = button(
    t("guide.again"),
    () => {
      saveGuideStep(store.id, 0);
      store.changed();
    },
    { "data-act": "guide" },
  );
  const past = h("a", { href: `${gameUrl(store.id)}&replay=1` }, t("result.replay"));
  const watch = button(t("menu.watch_link"), () => void shareWatching().catch(toastError), {
    "data-act": "watch-link",
  });
  const leaving = button(t("menu.leave"), () => askToLeave(store, reopen, tokensOf(store.id).host !== null, leaving), {
    "data-act": "leave",
  });
  const aborting = confirmation(
    t("menu.abort_question"),
    t("menu.abort"),
    () => void store.send(() => store.game.abort()).catch(toastError),
  );
  const abort = button(t("menu.abort"), () => aborting.open(abort), { "data-act": "abort" });
  const ending = confirmation(
    t("menu.host_abort_question"),
    t("menu.host_abort"),
    () => void store.send(() => skye.game(store.id, tokensOf(store.id).host).abort()).catch(toastError),
  );
  const end = button(t("menu.host_abort"), () => ending.open(end), { "data-act": "host-abort" });
  const proposing = confirmation(t("menu.pause_question"), t("menu.pause_propose"), () => pause(store));
  const pausing = button(t("menu.pause"), () => (isShared(store) ? proposing.open(pausing) : pause(store)), {
    "data-act": "pause",
  });
  const forgetIt = button(t("menu.forget"), () => forgetting.open(forgetIt), { "data-act": "forget" });
  const root = h(
    "div",
    { class: "menu-items" },
    h("a", { href: "/play/" }, t("page.all_games")),
    past,
    watch,
    seat,
    languageChoice(),
    settingBox("auto"),
    settingBox("edges", () => store.changed()),
    settingBox("count"),
    "Notification" in window ? settingBox("notify", askToNotify) : null,
    button(t("menu.help"), openHelp),
    guide,
    pausing,
    abort,
    end,
    leaving,
    forgetIt,
    button(
      t("menu.rules"),
      () => void import("./rules.js").then(({ showRules }) => showRules(store.view)).catch(toastError),
      { "data-act": "rules" },
    ),
  );
  root.addEventListener("click", (event) => {
    if (event.target instanceof HTMLButtonElement) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.stopPropagation(); // the ghost stays
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
  document.addEventListener("click", clicked);

  /** @param {Event} event */
  function clicked({ target }) {
    if (!menu.isConnected) document.removeEventListener("click", clicked);
    else if (!menu.contains(/** @type {Node} */ (target))) menu.open = false;
  }

  /** Replace the token of our seat, so that older links to it become invalid; return the new link. */
  async function renew() {
    const { token, seat: number } = store;
    if (!token || number === null) throw new Error("No seat");
    const { token: fresh } = await replaceToken(store, () => store.game.seat(number).rotateToken());
    if (!fresh) throw new Error("No token");
    saveTokens(store.id, { seats: tokensOf(store.id).seats.map((one) => (one === token ? fresh : one)) });
    reopen(chosen);
    return gameUrl(store.id, "seat", fresh);
  }

  /** Share the link to watch; that to a private game has a code, which the host gets. */
  async function shareWatching() {
    const { host } = tokensOf(store.id);
    await share(
      gameUrl(
        store.id,
        "watch",
        store.view.visibility === "private" ? await skye.game(store.id, host).watchCode() : null,
      ),
      "",
    );
  }

  return {
    root,
    update() {
      const seated = store.seat !== null;
      hide(guide, guideStep(store.id) === null);
      hide(past, store.view.status === "lobby");
      hide(seat, !seated);
      hide(linkFirst, !seated);
      hide(watch, store.view.visibility === "private" && !tokensOf(store.id).host);
      setText(watch, t(store.view.options.public_from === "end" && !isOver() ? "menu.watch_end" : "menu.watch_link"));
      hide(pausing, !canPause(store));
      hide(abort, !canProposeAbort(store));
      hide(end, !mayEndAlone(store));
      hide(leaving, !seated || isOver());
      hide(forgetIt, !tokensOf(store.id).seats.length);
    },
  };
}
