import { useQuery } from '@tanstack/react-query';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { Card } from '#/ui/card';
import { AppLink } from '#/ui/link';
import { Status } from '#/ui/status';
import { visible } from '#/ui/visible-text';
import { latest } from './api';
import { Loaded } from './Loaded';
import { When, WHEN_WIDTH } from './When';

const COLUMNS = { gridTemplateColumns: `minmax(0, 1fr) minmax(0, 1fr) auto ${WHEN_WIDTH}` };

/** The sessions that began last. */
export function Latest() {
  const t = useT();
  return (
    <Card
      title={t('dashboard:latest')}
      actions={<AppLink to={paths.sessions('?activeTab=offline')}>{t('dashboard:all')}</AppLink>}
      flush
    >
      <Loaded query={useQuery(latest)}>
        {({ dates_login_record_top10_sessions: rows }) =>
          rows.length === 0 ? (
            <p className="p-3.5 text-ink-3">{t('dashboard:no_sessions')}</p>
          ) : (
            <ol className="grid gap-1 p-3.5">
              {rows.map(({ id, user, asset, is_finished, date_start }) => {
                return (
                  <li key={id} className="grid items-center gap-3" style={COLUMNS}>
                    <span className="truncate" title={visible(user)}>
                      {visible(user)}
                    </span>
                    <AppLink to={paths.session(id)} className="pt-link truncate" title={visible(asset)}>
                      {visible(asset)}
                    </AppLink>
                    <Status tone={is_finished ? 'unknown' : 'ok'}>
                      {t(is_finished ? 'dashboard:ended' : 'dashboard:online')}
                    </Status>
                    <When text={date_start} />
                  </li>
                );
              })}
            </ol>
          )
        }
      </Loaded>
    </Card>
  );
}
