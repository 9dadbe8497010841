/** Loads each file of Chinese texts. Apart from those of English, because a page needs the names of one language only. */
export const files = import.meta.glob<{ default: Record<string, unknown> }>('/src/**/locales/zh.json');
