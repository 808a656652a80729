"use strict";

// Swagger UI has dark colors, but does not follow the preference of the browser.
const dark = matchMedia("(prefers-color-scheme: dark)");
const followPreference = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followPreference);
followPreference();

// Shows the contract. `validatorUrl` would send it elsewhere to be judged.
const reference = document.getElementById("reference");
SwaggerUIBundle({
  url: reference.dataset.contract,
  domNode: reference,
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
});
