/* Sets theme and language on <html> before the first paint. A file of its own, because the CSP forbids inline scripts.
   Keys and rules are those of src/lib/theme.ts and src/lib/i18n/detect.ts. */
(function () {
  var root = document.documentElement;
  function stored(key) {
    try {
      return localStorage.getItem(key);
    } catch (_) {
      return null;
    }
  }
  var theme = stored('theme');
  var dark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.theme = dark ? 'dark' : 'light';
  var language = stored('lang') || (/(?:^|; )django_language=([^;]+)/.exec(document.cookie) || [])[1] || navigator.language;
  root.lang = /^en/i.test(language) ? 'en' : 'zh-CN';
})();
