/** @typedef {import("./i18n.js").Messages} Messages */

/** Return messages that are 40 % longer, for tests of the layout. @param {Messages} messages @returns {Messages} */
export function longer(messages) {
  return Object.fromEntries(
    Object.entries(messages).map(([key, value]) => [
      key,
      typeof value === "string"
        ? stretched(value)
        : Object.fromEntries(Object.entries(value).map(([form, text]) => [form, stretched(text)])),
    ]),
  );
}

/** @param {string} text */
function stretched(text) {
  return `[${text}${"~".repeat(Math.ceil(text.length * 0.4))}]`;
}
