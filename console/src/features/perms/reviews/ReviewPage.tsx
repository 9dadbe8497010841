import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useT } from '#/lib/i18n';
import { ResourceList } from '#/resource/list/ResourceList';
import { Segmented } from '#/ui/choice';
import { reviewOf } from './review.resource';

const FINDINGS = ['unused', 'expired', 'ending', 'all'] as const;
const DAYS = ['30', '90', '180', '365'] as const;
const DEFAULT_DAYS = '90';

/** A choice of the address, or the default. */
function chosen<Value extends string>(
  values: readonly Value[],
  text: string | undefined,
  fallback: Value,
): Value {
  return values.find((value) => value === text) ?? fallback;
}

/** Permissions that nobody used, that have expired or end soon; each with the change that mends it. */
export function ReviewPage() {
  const t = useT();
  const navigate = useNavigate();
  const address: { show?: string; unused?: string } = useSearch({ strict: false });
  const finding = chosen(FINDINGS, address.show, 'unused');
  const days = chosen(DAYS, address.unused, DEFAULT_DAYS);
  const resource = useMemo(() => reviewOf(Number(days)), [days]);
  const query = useMemo(() => ({ days, ...(finding !== 'all' && { finding }) }), [days, finding]);
  const go = (next: Readonly<Record<string, string>>) =>
    void navigate({
      to: '.',
      search: (old: Record<string, string | undefined>) => ({ ...old, ...next, page: undefined }),
      replace: true,
    });
  // i18n: reviews:show.*
  return (
    <ResourceList
      resource={resource}
      query={query}
      strip={
        <div className="flex flex-wrap items-center gap-3 px-3 py-2">
          <Segmented
            label={t('reviews:show.label')}
            options={FINDINGS.map((value) => ({ value, label: t(`reviews:show.${value}`) }))}
            value={finding}
            onChange={(value) => go({ show: value })}
          />
          <label className="flex items-center gap-2 whitespace-nowrap text-ink-2">
            {t('reviews:days')}
            <select
              className="pt-field"
              value={days}
              onChange={(event) => go({ unused: event.target.value })}
            >
              {DAYS.map((value) => (
                <option key={value} value={value}>
                  {t('reviews:days_of', { days: value })}
                </option>
              ))}
            </select>
          </label>
        </div>
      }
    />
  );
}
