// i18n: nav:titles.*

type Texts = Readonly<Record<string, unknown>>;

function isNoun(value: unknown): value is { readonly one: string; readonly many: string } {
  return typeof value === 'object' && value !== null && 'one' in value && 'many' in value;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Gives each noun of a namespace the titles of its screens: `site.list`, `site.create`, `site.update` and `site.detail`, from
 * `site.one`, `site.many` and the patterns in `titles` of the same namespace. Without patterns the texts stay as they are.
 */
export function withTitles(texts: Texts): Texts {
  const patterns = texts['titles'];
  if (typeof patterns !== 'object' || patterns === null) return texts;
  const titled = Object.entries(texts).map(([key, value]) => {
    if (!isNoun(value)) return [key, value] as const;
    const titles = Object.entries(patterns).map(([screen, pattern]) => {
      const noun = screen === 'list' ? value.many : value.one;
      return [screen, capital(String(pattern).replace('{{noun}}', noun))] as const;
    });
    return [key, { ...value, ...Object.fromEntries(titles) }] as const;
  });
  return Object.fromEntries(titled);
}
