import { useQuery } from '@tanstack/react-query';
import type { Api } from '#/lib/api-types';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { useSession } from '#/lib/session';
import { TimeCell } from '#/resource/format';
import { AppLink } from '#/ui/link';
import { SkeletonLines } from '#/ui/skeleton';
import { visible } from '#/ui/visible-text';

const MOST = 100;

interface Page {
  readonly count: number;
  readonly results: readonly Api<'PersonOfPermission'>[];
}

/** The people of a permission who did not use it in the days of the review, each with a link to their page. */
export function UnusedPeople({
  permissionId,
  days,
}: {
  readonly permissionId: string;
  readonly days: number;
}) {
  const t = useT();
  // Auditors may not open the pages of people.
  const mayOpen = useSession().profile.is_org_admin;
  const { data, error } = useQuery({
    queryKey: ['unused-people', permissionId, days],
    queryFn: ({ signal }) =>
      http.get<Page>(`perms/reviews/asset-permissions/${permissionId}/people/`, {
        query: { unused: 1, days, limit: MOST, offset: 0 },
        quiet: true,
        signal,
      }),
  });
  if (error) return <p className="p-2 text-danger">{explain(error)}</p>;
  if (!data)
    return (
      <div aria-busy="true">
        <SkeletonLines lines={2} />
      </div>
    );
  return (
    <div className="grid gap-1 p-2">
      <span className="text-meta font-medium text-ink-3">
        {t(data.count === 0 ? 'reviews:everybody_used' : 'reviews:unused_people', { days })}
      </span>
      <ul className="grid gap-1">
        {data.results.map((person) => (
          <li key={person.user} className="flex flex-wrap gap-x-3 [overflow-wrap:anywhere]">
            {mayOpen ? (
              <AppLink to={paths.user(person.user)}>{visible(person.user_display)}</AppLink>
            ) : (
              <span>{visible(person.user_display)}</span>
            )}
            <span className="text-ink-3">
              {t(person.direct ? 'reviews:direct' : 'reviews:through_group')}
            </span>
            <span className="text-ink-3">
              {person.date_last_used === null ? (
                t('reviews:never')
              ) : (
                <TimeCell value={person.date_last_used} />
              )}
            </span>
          </li>
        ))}
      </ul>
      {data.count > MOST && (
        <span className="text-ink-3">{t('reviews:more', { count: data.count - MOST })}</span>
      )}
    </div>
  );
}
