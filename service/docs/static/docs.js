"use strict";

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
