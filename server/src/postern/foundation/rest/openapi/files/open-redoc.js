Redoc.init('/api/swagger.json', { hideHostname: true, pathInMiddlePanel: true }, document.getElementById('api'));
