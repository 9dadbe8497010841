import { useQuery } from '@tanstack/react-query';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { Note } from '#/ui/note';
import { VisibleText } from '#/ui/visible-text';
import { liveSessionsOf } from './ending-sessions';

/** The live sessions that end when these people or assets are deactivated. */
export function EndingSessions({
  object,
  ids,
}: {
  readonly object: 'user' | 'asset';
  readonly ids: readonly string[];
}) {
  const t = useT();
  const answer = useQuery({
    queryKey: ['access-preview', 'live-sessions', object, ids],
    queryFn: () => liveSessionsOf(object, ids),
    staleTime: 0,
    gcTime: 0,
  });
  if (answer.error) {
    return <Note tone="warn">{t('access-preview:sessions.failed', { reason: explain(answer.error) })}</Note>;
  }
  const ending = answer.data;
  if (!ending) {
    return (
      <p className="mt-3 text-ink-3" role="status">
        {t('access-preview:sessions.loading')}
      </p>
    );
  }
  const more = ending.count - ending.rows.length;
  return (
    <div className="mt-3" role="status">
      <p className={ending.count > 0 ? 'font-semibold text-danger' : 'text-ink-2'}>
        {ending.count > 0
          ? t('access-preview:sessions.end', { count: ending.count })
          : t('access-preview:sessions.none')}
      </p>
      <ul className="mt-1">
        {ending.rows.map((row) => (
          <li key={row.id} className="[overflow-wrap:anywhere]">
            <VisibleText text={row.user} /> → <VisibleText text={`${row.system_user}@${row.asset}`} />
          </li>
        ))}
        {more > 0 && <li className="text-ink-3">{t('access-preview:sessions.more', { count: more })}</li>}
      </ul>
    </div>
  );
}
