import { readCookie, readStored, writeCookie, writeStored } from '../storage';

export type Language = 'zh' | 'en';

/** BCP 47 tag of `<html lang>` and of date and number formats. */
export const LANGUAGE_TAG: Record<Language, string> = { zh: 'zh-CN', en: 'en' };
/** Value of the cookie `django_language`, by which the server picks the language of labels and messages. */
const COOKIE_VALUE: Record<Language, string> = { zh: 'zh-hans', en: 'en' };
/** Value of the local storage key `lang`. */
const STORED_VALUE: Record<Language, string> = { zh: 'cn', en: 'en' };

function toLanguage(text: string | null | undefined): Language | null {
  if (!text) return null;
  const lower = text.toLowerCase();
  if (lower.startsWith('en')) return 'en';
  if (lower.startsWith('cn') || lower.startsWith('zh')) return 'zh';
  return null;
}

/**
 * The language from local storage, else the cookie, else the browser; Simplified Chinese when none of them names a
 * supported language.
 */
export function detectLanguage(): Language {
  return (
    toLanguage(readStored('lang')) ??
    toLanguage(readCookie('django_language')) ??
    toLanguage(navigator.language) ??
    'zh'
  );
}

/** Stores the language for this browser and for the server's answers. */
export function rememberLanguage(language: Language): void {
  writeStored('lang', STORED_VALUE[language]);
  announceLanguage(language);
}

/** Tells the server (cookie) and assistive technology (`lang` attribute) the language of the page. */
export function announceLanguage(language: Language): void {
  writeCookie('django_language', COOKIE_VALUE[language], 365);
  document.documentElement.lang = LANGUAGE_TAG[language];
}
