/** Loads each file of English texts. Apart from those of Chinese, because a page needs the names of one language only. */
export const files = import.meta.glob<{ default: Record<string, unknown> }>('/src/**/locales/en.json');
