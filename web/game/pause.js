import { button, h, hide, setText } from "../shared/dom.js";
import { dateTime, t } from "../shared/i18n.js";
import { toastError } from "../shared/toast.js";

/** @typedef {import("../state/store.js").Store} Store */

/** Return whether our seat may pause the game, or propose that. @param {Store} store */
export function canPause({ view, me }) {
  const isTimed = view.status === "playing" && view.deadline !== null && view.options.max_pause_ms > 0;
  return isTimed && me?.bot === null && view.proposal === null;
}

/** Pause the game, or propose that. @param {Store} store */
export function pause(store) {
  void store.send(() => store.game.pause()).catch(toastError);
}

/**
 * Create the banner of a game that is paused, with the button that resumes it.
 *
 * @param {Store} store
 */
export function pauseBanner(store) {
  const text = h("span", {});
  const resume = button(t("pause.resume"), () => void store.send(() => store.game.resume()).catch(toastError), {
    "data-act": "resume",
  });
  const root = h("p", { class: "banner", hidden: true, role: "status" }, text, " ", resume);
  return {
    root,
    update() {
      const { pause: paused } = store.view;
      hide(root, !paused);
      if (!paused) return;
      setText(text, t("pause.until", { time: dateTime(paused.until) }));
      hide(resume, store.seat === null || store.me?.end.type === "out_of_time");
    },
  };
}
