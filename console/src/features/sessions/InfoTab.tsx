import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { exactTime, friendlyDuration, parseTime } from '#/lib/time';
import { Card, Definitions } from '#/ui/card';
import { AppLink } from '#/ui/link';
import { HoldsCard } from '#/domain/holds/HoldsCard';
import type { SessionRow } from './api';

/** Facts about the session: who, which asset and account, from where, when. */
export function InfoTab({ session }: { readonly session: SessionRow }) {
  const t = useT();
  const start = parseTime(session.date_start);
  const end = parseTime(session.date_end);
  const locked = parseTime(session.date_locked);
  return (
    <div className="grid gap-3.5">
      <HoldsCard object={{ session: session.id }} name={`${session.user} → ${session.asset}`} />
      <Card flush>
        <Definitions
          items={[
            {
              label: t('sessions:field.user'),
              value: <AppLink to={paths.user(session.user_id)}>{session.user}</AppLink>,
            },
            {
              label: t('sessions:field.asset'),
              value: <AppLink to={paths.asset(session.asset_id)}>{session.asset}</AppLink>,
            },
            { label: t('sessions:field.system_user'), value: session.system_user },
            { label: t('sessions:field.login_name'), value: session.login_name },
            { label: t('sessions:field.target'), value: session.target_address },
            ...(session.via ? [{ label: t('sessions:field.via'), value: session.via }] : []),
            { label: t('sessions:field.protocol'), value: session.protocol },
            { label: t('sessions:field.login_from'), value: session.login_from_display },
            { label: t('sessions:field.remote_addr'), value: session.remote_addr },
            { label: t('sessions:field.date_start'), value: start && exactTime(start) },
            { label: t('sessions:field.date_end'), value: end && exactTime(end) },
            {
              label: t('sessions:field.duration'),
              value: session.duration_s === null ? null : friendlyDuration(session.duration_s),
            },
            ...(session.is_locked
              ? [
                  { label: t('sessions:field.locked_by'), value: session.locked_by },
                  { label: t('sessions:field.date_locked'), value: locked && exactTime(locked) },
                ]
              : []),
            { label: t('sessions:field.end_reason'), value: session.end_reason_display },
            {
              label: t('sessions:field.id'),
              value: <code className="font-mono text-meta">{session.id}</code>,
            },
          ]}
        />
      </Card>
    </div>
  );
}
