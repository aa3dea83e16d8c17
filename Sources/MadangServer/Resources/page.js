// Adds to the form of a page of links: a button that shows a password, and which rules a new one does not meet yet.
"use strict";

const button = document.querySelector("button[data-hide]");
const form = button.form;
const password = form.elements.password;
const again = form.elements.again;

const show = button.textContent;
const turn = (isShown) => {
  for (const input of [password, again]) if (input) input.type = isShown ? "text" : "password";
  button.textContent = isShown ? button.dataset.hide : show;
};
button.hidden = false;
button.addEventListener("click", () => {
  turn(password.type === "password");
  password.focus();
});
// Browsers keep what was typed into a field of text.
form.addEventListener("submit", () => turn(false));

// As the server checks them: TextRules.newPassword.
const rules = {
  long: (text) => [...text].length >= 8 && [...text].length <= 128,
  upper: (text) => /\p{Uppercase}/u.test(text),
  lower: (text) => /\p{Lowercase}/u.test(text),
  digit: (text) => /\p{N}/u.test(text),
  sign: (text) => /[^\p{L}\p{N}\s]/u.test(text),
  same: (text) => text !== "" && text === again.value,
};

if (again) {
  const items = form.querySelectorAll("[data-rule]");
  const heard = form.querySelector("[role=status]");
  let later;
  const check = () => {
    const missing = [];
    for (const item of items) {
      const isMet = rules[item.dataset.rule](password.value);
      item.classList.toggle("good", isMet);
      if (!isMet) missing.push(item.textContent);
    }
    clearTimeout(later);
    later = setTimeout(() => {
      heard.textContent = missing.length ? `${heard.dataset.missing} ${missing.join(", ")}` : heard.dataset.met;
    }, 800);
  };
  password.addEventListener("input", check);
  again.addEventListener("input", check);
  // A browser may have filled the fields.
  if (password.value || again.value) check();
}
