// What Swagger UI shows, and that calls which it makes carry the proof against forged requests.
SwaggerUIBundle({
  url: '/api/swagger.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: null,
  requestInterceptor: (request) => {
    const token = /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie);
    if (token && new URL(request.url, location.origin).origin === location.origin)
      request.headers['X-CSRFToken'] = token[1];
    return request;
  },
});
