// Shows the resource that the address names.
Redoc.init(
  `/api/swagger.json${location.search}`,
  { hideHostname: true, pathInMiddlePanel: true },
  document.getElementById('api'),
);
