import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useT } from '#/lib/i18n';
import { ResourceList } from '#/resource/list/ResourceList';
import { Segmented } from '#/ui/choice';
import { REVIEWED, reviewOf } from './review.resource';

/** There are no sessions to applications yet, so nothing tells which of their permissions are unused. */
const FINDINGS = {
  asset: ['unused', 'expired', 'ending', 'all'],
  application: ['expired', 'ending', 'all'],
} as const;
type Finding = (typeof FINDINGS)['asset'][number];
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
  const address: { of?: string; show?: string; unused?: string } = useSearch({ strict: false });
  const of = chosen(REVIEWED, address.of, 'asset');
  const findings: readonly Finding[] = FINDINGS[of];
  const finding = chosen(findings, address.show, findings[0] ?? 'all');
  const days = chosen(DAYS, address.unused, DEFAULT_DAYS);
  const resource = useMemo(() => reviewOf(of, Number(days)), [of, days]);
  const query = useMemo(
    () => ({ ...(of === 'asset' && { days }), ...(finding !== 'all' && { finding }) }),
    [of, days, finding],
  );
  const go = (next: Readonly<Record<string, string | undefined>>) =>
    void navigate({
      to: '.',
      search: (old: Record<string, string | undefined>) => ({ ...old, ...next, page: undefined }),
      replace: true,
    });
  // i18n: reviews:of.*
  // i18n: reviews:show.*
  return (
    <ResourceList
      key={of}
      resource={resource}
      query={query}
      strip={
        <div className="flex flex-wrap items-center gap-3 px-3 py-2">
          <Segmented
            label={t('reviews:of.label')}
            options={REVIEWED.map((value) => ({ value, label: t(`reviews:of.${value}`) }))}
            value={of}
            onChange={(value) => go({ of: value, show: undefined })}
          />
          <Segmented
            label={t('reviews:show.label')}
            options={findings.map((value) => ({ value, label: t(`reviews:show.${value}`) }))}
            value={finding}
            onChange={(value) => go({ show: value })}
          />
          {of === 'application' && <span className="text-ink-3">{t('reviews:not_known_why')}</span>}
          {of === 'asset' && (
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
          )}
        </div>
      }
    />
  );
}
