import { gameName } from "../shared/game-name.js";
import { fileUrl } from "../shared/urls.js";
import { setting } from "../state/settings.js";
import { toastError } from "../shared/toast.js";
import { turnText } from "./header.js";

/** @typedef {import("../state/store.js").Store} Store */

/**
 * Show in the title and the icon of the page whose turn it is. When ours begins, also play a sound and, in a tab in the
 * background, show a notification, if the player has chosen that.
 *
 * @param {Store} store
 */
export function turnAlerts(store) {
  const icon = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[rel=icon]"));
  const usual = icon?.getAttribute("href") ?? "";
  let mine = false;

  function update() {
    const { myTurn } = store;
    const title = `${myTurn ? "● " : ""}${turnText(store)} · Skye`;
    if (document.title !== title) document.title = title;
    if (myTurn === mine) return;
    mine = myTurn;
    icon?.setAttribute("href", myTurn ? fileUrl("turn.svg").pathname : usual);
    void (myTurn ? navigator.setAppBadge?.() : navigator.clearAppBadge?.())?.catch(() => {}); // of an installed page
    if (!myTurn) return;
    sound("turn");
    if (setting("notify") && document.hidden && Notification.permission === "granted") notify();
  }

  function notify() {
    const notification = new Notification(turnText(store), {
      body: gameName(store.view.name),
      tag: store.id,
      icon: usual,
    });
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
  }

  return { update, sound, close: () => icon?.setAttribute("href", usual) };
}

/** Play a sound, unless the player wants none, or has not pressed anything yet. @param {string} name */
function sound(name) {
  if (setting("sound") && navigator.userActivation?.hasBeenActive)
    import("../shared/sound.js").then(({ play }) => play(name), toastError);
}
