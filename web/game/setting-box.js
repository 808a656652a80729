import { h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { saveSetting, setting } from "../state/settings.js";

/**
 * Create a check box for a setting.
 *
 * @param {Parameters<typeof setting>[0]} name
 * @param {(box: HTMLInputElement) => void} [changed]
 */
export function settingBox(name, changed) {
  const box = h("input", {
    type: "checkbox",
    name,
    checked: setting(name),
    onchange: () => {
      saveSetting(name, box.checked);
      changed?.(box);
    },
  });
  return h("label", { class: "check" }, box, t(`setting.${name}`));
}

/** Create the switch of the sounds for a header, as a note that is struck through while there are none. */
export function soundSwitch() {
  const label = settingBox("sound");
  label.className = "sound";
  label.title = t("setting.sound");
  const [box] = label.childNodes;
  label.replaceChildren(box, h("span", { class: "note" }, "♪"), h("span", { class: "sr-only" }, t("setting.sound")));
  return label;
}
