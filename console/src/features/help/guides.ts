import { queryOptions } from '@tanstack/react-query';
import type { Language } from '#/lib/i18n';

/** The guides of this version, bundled from the repository: a bastion often has no access to other sites. */
const FILES = {
  ...import.meta.glob<string>('../../../../docs/guide/*.md', { query: '?raw', import: 'default' }),
  ...import.meta.glob<string>('../../../../docs/reference/*.md', { query: '?raw', import: 'default' }),
};
const ROOT = '../../../../docs/';
const INDEX = 'README';

export const SECTIONS = ['guide', 'reference'] as const;
export type Section = (typeof SECTIONS)[number];

export interface GuideText {
  readonly text: string;
  /** The language that it is written in; a translation is a file `<name>.zh.md` beside it. */
  readonly language: Language;
}

function fileOf(section: string, name: string, language: Language) {
  const translated = FILES[`${ROOT}${section}/${name}.${language}.md`];
  if (translated) return { load: translated, language };
  const original = FILES[`${ROOT}${section}/${name}.md`];
  return original && { load: original, language: 'en' as const };
}

/** The guide; null when it does not exist. */
export const guideQuery = (section: string, name: string, language: Language) =>
  queryOptions({
    queryKey: ['guide', section, name, language],
    queryFn: async (): Promise<GuideText | null> => {
      const file = fileOf(section, name, language);
      return file ? { text: await file.load(), language: file.language } : null;
    },
    staleTime: Infinity,
  });

/** The table of contents of the guides. */
export const guideIndexQuery = (language: Language) => guideQuery('guide', INDEX, language);

export interface GuideTarget {
  /** Path inside the console; empty for a heading of the same page. */
  readonly to: string;
  readonly hash: string;
}

/** Target of a guide's link inside the console; null for files that the console does not contain. */
export function guideTarget(href: string, section: string): GuideTarget | null {
  const [path = '', hash = ''] = href.split('#', 2);
  if (path === '') return { to: '', hash };
  const full = new URL(path, `http://docs/${section}/`).pathname;
  const [, folder = '', name = ''] = /^\/(guide|reference)\/([\w-]+)\.md$/.exec(full) ?? [];
  if (fileOf(folder, name, 'en') === undefined) return null;
  return name === INDEX ? { to: '/help', hash } : { to: `/help/${folder}/${name}`, hash };
}
