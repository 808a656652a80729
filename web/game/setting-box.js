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
