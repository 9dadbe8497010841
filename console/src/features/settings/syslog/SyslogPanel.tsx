import { useQuery } from '@tanstack/react-query';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { currentLanguage, useT } from '#/lib/i18n';
import { TimeCell } from '#/resource/format';
import type { FormValues } from '#/resource/define';
import { Card } from '#/ui/card';
import { Note } from '#/ui/note';
import { SkeletonLines } from '#/ui/skeleton';
import { Status } from '#/ui/status';
import type { Loaded } from '../api';
import { SettingsTest } from '../SettingsTest';
import type { SettingsForm } from '../use-settings-form';

const REFRESH_MS = 5000;

interface SyslogState {
  readonly is_on: boolean;
  /** Events that the receiver does not have. */
  readonly behind: number;
  readonly sent: number;
  readonly date_sent: string | null;
  readonly failing_since: string | null;
  readonly reason: string;
}

async function test(values: FormValues): Promise<string> {
  return (await http.post<{ msg: string }>('settings/syslog/testing/', values, { quiet: true })).msg;
}

function Outcome({ state }: { readonly state: SyslogState }) {
  const t = useT();
  if (!state.is_on) return <Status tone="unknown">{t('settings:syslog.off')}</Status>;
  if (state.failing_since !== null) return <Status tone="danger">{t('settings:syslog.failing')}</Status>;
  return <Status tone="ok">{t('settings:syslog.on')}</Status>;
}

function Facts({ state }: { readonly state: SyslogState }) {
  const t = useT();
  const facts = [
    { label: t('settings:syslog.behind'), value: String(state.behind) },
    { label: t('settings:syslog.sent'), value: String(state.sent) },
    { label: t('settings:syslog.last'), value: <TimeCell value={state.date_sent} /> },
    ...(state.failing_since === null
      ? []
      : [{ label: t('settings:syslog.since'), value: <TimeCell value={state.failing_since} /> }]),
  ];
  return (
    <dl className="grid gap-2">
      {facts.map(({ label, value }) => (
        <div key={label} className="flex flex-wrap gap-2">
          <dt className="grow text-ink-2">{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** How far behind the receiver is, and why. */
function StateCard() {
  const t = useT();
  const query = useQuery({
    queryKey: ['syslog-state', currentLanguage()],
    queryFn: () => http.get<SyslogState>('settings/syslog/state/', { quiet: true }),
    staleTime: 0,
    refetchInterval: REFRESH_MS,
  });
  const state = query.data;
  return (
    <Card title={t('settings:syslog.state')}>
      {query.error && <Note tone="danger">{explain(query.error)}</Note>}
      {!state && !query.error && <SkeletonLines lines={3} />}
      {state && (
        <div className="grid gap-3">
          <Outcome state={state} />
          {state.reason !== '' && <Note tone="danger">{state.reason}</Note>}
          <Facts state={state} />
        </div>
      )}
    </Card>
  );
}

/** Beside the form: the state of the stream, and a test of the values of the form. */
export function SyslogPanel({
  loaded,
  settings,
}: {
  readonly loaded: Loaded;
  readonly settings: SettingsForm;
}) {
  const t = useT();
  return (
    <div className="grid gap-3">
      <StateCard />
      <SettingsTest
        settings={settings}
        names={loaded.settings.filter((one) => one.category === 'syslog').map((one) => one.name)}
        how={t('settings:syslog.how')}
        label={t('settings:syslog.test')}
        test={test}
      />
    </div>
  );
}
