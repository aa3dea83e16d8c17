/**
 * Forms.
 * @module
 */

import { h, length } from "./elements.js";
import { t } from "./words.js";

/** What a field takes. */
function wrong({ label, type, min, max, step }) {
  if (min !== undefined && max !== undefined) return t("form.between", { field: label, min, max });
  if (min !== undefined) return t(step === undefined ? "form.whole" : "form.least", { field: label, min });
  return t(type === "email" ? "form.email" : "form.wrong", { field: label });
}

/**
 * A form with labelled fields, one place for what went wrong, and a button that waits while it works.
 * @param {object} plan
 * @param {Array<{name: string, label: string, type?: string, value?: string, required?: boolean, most?: number,
 *   options?: Array<[string, string]>, min?: number, max?: number, step?: number, autocomplete?: string, hint?: string, inputmode?: string, oninput?: (event: Event) => void}|Node>} plan.fields
 * @param {string} plan.submit text of the button
 * @param {(values: Object<string, string>, form: HTMLFormElement) => Promise<void>} plan.action
 * @param {(error: Error) => string} plan.explain
 * @param {Array<Node>} [plan.beside] more buttons before the main one
 * @returns {HTMLFormElement}
 */
export function form({ fields, submit, action, explain, beside = [] }) {
  const trouble = h("p.trouble", { role: "alert" });
  const button = h("button.button.main", { type: "submit" }, submit);
  const inputs = new Map();
  const rows = fields.map((field) => {
    if (field instanceof Node) return field;
    const input = field.options ? h("select", null, field.options.map(([value, text]) => h("option", { value }, text)))
      : field.type === "textarea" ? h("textarea", { rows: 3 }) : h("input", { type: field.type ?? "text" });
    input.name = field.name;
    input.value = field.value ?? "";
    input.required = field.required ?? false;
    if (field.autocomplete) input.autocomplete = field.autocomplete;
    if (field.inputmode) input.inputMode = field.inputmode;
    for (const limit of ["min", "max", "step"]) if (field[limit] !== undefined) input.setAttribute(limit, field[limit]);
    if (field.oninput) input.addEventListener("input", field.oninput);
    if (field.autofocus) input.autofocus = true;
    if (field.name === "nickname" || field.name === "name" || field.type === "textarea") input.dir = "auto";
    inputs.set(field.name, { input, field });
    return h("label.field", null, h("span", null, field.label), input, field.hint && h("span.hint", null, field.hint));
  });
  const element = h("form.form", { novalidate: true }, rows, trouble, h("div.actions", null, beside, button));
  const fail = (text, input) => {
    trouble.textContent = text;
    for (const { input: one } of inputs.values()) one.removeAttribute("aria-invalid");
    input?.setAttribute("aria-invalid", "true");
    input?.focus();
  };
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    const values = {};
    for (const [key, { input, field }] of inputs) {
      values[key] = field.type === "password" ? input.value : input.value.trim();
      if (input.required && !values[key]) return fail(t("form.empty", { field: field.label }), input);
      if (field.most && length(values[key]) > field.most) return fail(t("form.long", { field: field.label, n: field.most }), input);
      if (!input.checkValidity()) return fail(wrong(field), input);
    }
    fail("");
    for (const one of [...beside, button]) one.disabled = true;
    element.setAttribute("aria-busy", "true");
    try {
      await action(values, element);
    } catch (error) {
      fail(explain(error));
    } finally {
      for (const one of [...beside, button]) one.disabled = false;
      element.removeAttribute("aria-busy");
    }
  });
  return element;
}
