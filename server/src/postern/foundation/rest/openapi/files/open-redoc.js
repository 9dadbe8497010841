// Examples of nested objects are two levels deep: deeper ones take a fifth of the time that the page needs to appear.
Redoc.init(
  '/api/swagger.json',
  { hideHostname: true, pathInMiddlePanel: true, generatedPayloadSamplesMaxDepth: 2 },
  document.getElementById('api'),
);
