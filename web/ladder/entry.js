import { button, h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { toastError } from "../shared/toast.js";
import { loadItem } from "../state/items.js";

/** The name under which this browser keeps the rated ticket that waits. */
export const WAITING = "skye.rated-ticket";

/** Create what the first page shows of the ladders: a button beside the quick way to a game, and links. */
export function ladderEntry() {
  const begin = button(t("rated.play"), () => void open(), { "data-act": "rated" });
  const root = h("div", { class: "rated-entry", hidden: true }, h("p", {}, t("rated.text")), begin);
  const links = h(
    "span",
    { hidden: true },
    h("a", { href: "/play/?ladder" }, t("ladder.title")),
    " · ",
    h("a", { href: "/play/?profile" }, t("profile.title")),
    " · ",
  );

  async function open() {
    try {
      const { ratedPanel } = await import("./rated.js");
      const panel = await ratedPanel(null);
      const focused = begin === document.activeElement;
      begin.replaceWith(panel.root);
      if (focused) panel.focus();
    } catch (error) {
      toastError(error);
    }
  }

  return {
    root,
    links,
    /** The server has ladders. */
    show() {
      root.hidden = false;
      links.hidden = false;
      if (loadItem(WAITING)) void open();
    },
  };
}
