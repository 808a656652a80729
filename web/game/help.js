import { openDialog } from "../shared/dialog.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { settingBox } from "./setting-box.js";

const KEYS = [
  "arrows",
  "enter",
  "escape",
  "n",
  "r",
  "digits",
  "plus",
  "x",
  "s",
  "b",
  "p",
  "u",
  "f",
  "zero",
  "question",
];

/** Show the list of shortcuts. A setting disables single letters, for users of speech input (WCAG 2.1.4). */
export function showHelp() {
  openDialog(
    t("menu.help"),
    "",
    h(
      "dl",
      { class: "keys" },
      ...KEYS.flatMap((key) => [h("dt", {}, t(`keys.${key}.key`)), h("dd", {}, t(`keys.${key}`))]),
    ),
    settingBox("letters"),
  );
}
