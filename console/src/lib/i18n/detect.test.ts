import { beforeEach, expect, test, vi } from 'vitest';
import { announceLanguage, detectLanguage, rememberLanguage } from './detect';

function browser(language: string) {
  vi.spyOn(navigator, 'language', 'get').mockReturnValue(language);
}

beforeEach(() => browser('fr-FR'));

test('[S1-059] Chinese is the default', () => {
  expect(detectLanguage()).toBe('zh');
});

test('[S1-064] the browser decides when nothing is stored', () => {
  browser('en-GB');
  expect(detectLanguage()).toBe('en');
});

test('[S1-063] the cookie takes precedence over the browser', () => {
  browser('en-GB');
  document.cookie = 'django_language=zh-hans; path=/';
  expect(detectLanguage()).toBe('zh');
});

test('[S1-062] [S1-065] the stored language takes precedence over the cookie', () => {
  document.cookie = 'django_language=zh-hans; path=/';
  localStorage.setItem('lang', 'en');
  expect(detectLanguage()).toBe('en');
});

test('[S1-066] [S1-067] [S3-081] [S9-054] the cookie tells the server the language', () => {
  announceLanguage('zh');
  expect(document.cookie).toContain('django_language=zh-hans');
  expect(document.documentElement.lang).toBe('zh-CN');
  rememberLanguage('en');
  expect(document.cookie).toContain('django_language=en');
  expect(localStorage.getItem('lang')).toBe('en');
});
