import { ApiError } from "../../clients/typescript/src/errors.js";
import { toastError } from "./toast.js";

/**
 * Show an error at the field of a form that the server names, or as a message when it names none of them.
 *
 * @param {unknown} error
 * @param {HTMLFormElement | null | undefined} form Its fields have the names of the request.
 */
export function showInvalid(error, form) {
  const { pointer = "", detail = "" } = (error instanceof ApiError && error.errors[0]) || {};
  const field = form?.elements.namedItem(pointer.split("/").at(-1) ?? "");
  if (!(field instanceof HTMLInputElement)) return toastError(error);
  field.setCustomValidity(detail);
  field.addEventListener("input", () => field.setCustomValidity(""), { once: true });
  field.reportValidity();
}
