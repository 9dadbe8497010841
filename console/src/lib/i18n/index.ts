import { type BackendModule, createInstance } from 'i18next';
import { initReactI18next, useTranslation } from 'react-i18next';
import { type Language, announceLanguage, detectLanguage, LANGUAGE_TAG, rememberLanguage } from './detect';
import { withTitles } from './titles';

/**
 * Each folder `<name>/locales/{zh,en}.json` is a namespace `<name>`, loaded when a route or component requests it. Keys
 * are always written `namespace:key`; `tools/locales.mjs` fails the check on missing or unused keys.
 */
type Texts = Record<string, unknown>;

function loadFiles(language: string) {
  return language === 'en' ? import('./files-en') : import('./files-zh');
}

async function loadTexts(language: string, namespace: string): Promise<Texts> {
  const { files } = await loadFiles(language);
  const end = `/${namespace}/locales/${language}.json`;
  const load = Object.entries(files).find(([path]) => path.endsWith(end))?.[1];
  if (load === undefined) throw new Error(`no locale file for ${namespace} in ${language}`);
  return withTitles((await load()).default);
}

type ReadDone = Parameters<BackendModule['read']>[2];

async function deliver(language: string, namespace: string, done: ReadDone): Promise<void> {
  let texts: Texts;
  try {
    texts = await loadTexts(language, namespace);
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)), null);
    return;
  }
  done(null, texts);
}

const i18n = createInstance();

const backend: BackendModule = {
  type: 'backend',
  init() {},
  read(language, namespace, done) {
    void deliver(language, namespace, done);
  },
};

/** A text that the present language lacks (which fails `npm run check`) shows in English. */
async function borrowEnglish(languages: readonly string[], namespace: string, key: string): Promise<void> {
  const [language] = languages;
  if (language === undefined || language === 'en') return;
  const texts = await loadTexts('en', namespace);
  const english = createInstance();
  await english.init({ lng: 'en', resources: { en: { [namespace]: texts } } });
  if (!english.exists(key, { ns: namespace })) return;
  i18n.addResource(language, namespace, key, english.t(key, { ns: namespace }));
  i18n.emit('languageChanged', language);
}

export async function startI18n(
  namespaces: readonly string[],
  language: Language = detectLanguage(),
): Promise<void> {
  announceLanguage(language);
  await i18n
    .use(backend)
    .use(initReactI18next)
    .init({
      lng: language,
      // i18next would download the whole second language as a fallback; `borrowEnglish` loads only what is missing.
      fallbackLng: false,
      saveMissing: true,
      missingKeyHandler: (languages, namespace, key) => void borrowEnglish(languages, namespace, key),
      ns: [...namespaces],
      defaultNS: 'app',
      interpolation: { escapeValue: false },
      react: { useSuspense: false },
    });
}

export function loadNamespaces(namespaces: readonly string[]): Promise<void> {
  return i18n.loadNamespaces([...namespaces]);
}

export async function changeLanguage(language: Language): Promise<void> {
  rememberLanguage(language);
  await i18n.changeLanguage(language);
}

export function currentLanguage(): Language {
  return i18n.language === 'en' ? 'en' : 'zh';
}

export function currentLocale(): string {
  return LANGUAGE_TAG[currentLanguage()];
}

export type Translate = (key: string, values?: Record<string, unknown>) => string;

/** Looks up texts and caches those without values, because a list uses the same few texts in each row. */
function makeTranslate(): Translate {
  const cache = new Map<string, string>();
  return (key, values) => {
    if (values !== undefined) return i18n.t(key, values);
    const known = cache.get(key);
    if (known !== undefined) return known;
    const text = i18n.t(key);
    // A missing text is not cached, because its namespace may still be loading.
    if (i18n.exists(key)) cache.set(key, text);
    return text;
  };
}

let currentTranslate = makeTranslate();
i18n.on('languageChanged', () => {
  currentTranslate = makeTranslate();
});

/** Translation outside of components (errors, toasts). */
export const translate: Translate = (key, values) => currentTranslate(key, values);

/**
 * Translation in components; they render again when the language changes. The function's identity is stable until then.
 */
export function useT(): Translate {
  useTranslation();
  return currentTranslate;
}

export type { Language };
