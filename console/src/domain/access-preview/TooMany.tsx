import { useT } from '#/lib/i18n';
import { MAX_CHANGES } from './preview';

/** Says that so many changes at once are not previewed. */
export function TooMany() {
  const t = useT();
  return <p className="mt-3 text-ink-2">{t('access-preview:too_many', { count: MAX_CHANGES })}</p>;
}
