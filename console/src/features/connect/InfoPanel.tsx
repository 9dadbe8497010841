import { CircleDot } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '#/lib/i18n';
import { friendlyDuration } from '#/lib/time';
import { SshLines } from '#/domain/ssh-lines/SshLines';
import { Badge, Missing } from '#/ui/status';
import { useNow } from './use-now';
import type { Pane } from './workspace';

function Row({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="grid min-h-7 grid-cols-[88px_minmax(0,1fr)] gap-2 py-1">
      <dt className="text-ink-3">{label}</dt>
      <dd className="[overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}

const ACTIONS = [
  ['connect:action.upload', 2],
  ['connect:action.download', 4],
] as const;

/** What the person should know about the focused session. */
export function InfoPanel({ pane }: { readonly pane: Pane }) {
  const t = useT();
  const now = useNow(1000);
  const { session, target } = pane;
  return (
    <aside
      aria-label={t('connect:info')}
      className="w-64 flex-none overflow-y-auto border-l border-line bg-bg p-3 max-md:hidden"
    >
      <div className="mb-2 flex items-center gap-2">
        <h2 className="grow text-lead">{t('connect:info')}</h2>
        {session?.recorded && pane.end === null && (
          <Badge tone="info" icon={CircleDot}>
            {t('connect:recorded')}
          </Badge>
        )}
      </div>
      <dl>
        <Row label={t('connect:asset')}>{target.assetName}</Row>
        <Row label={t('connect:address')}>
          <span className="font-mono text-meta">{target.address}</span>
        </Row>
        <Row label={t('connect:system_user')}>{target.systemUser.name}</Row>
        <Row label={t('connect:login_name')}>{session?.login_name ?? <Missing />}</Row>
        <Row label={t('connect:duration')}>
          {pane.startedAt === null ? <Missing /> : friendlyDuration((now - pane.startedAt) / 1000)}
        </Row>
        <Row label={t('connect:idle_after')}>
          {session ? friendlyDuration(session.idle_timeout_s) : <Missing />}
        </Row>
        <Row label={t('connect:latency')}>
          {pane.latencyMs === null ? <Missing /> : `${pane.latencyMs} ms`}
        </Row>
        <Row label={t('connect:host_key')}>
          {session?.host_key ? <span className="font-mono text-meta">{session.host_key}</span> : <Missing />}
        </Row>
      </dl>
      {session && (
        <>
          <h3 className="mt-3 mb-1 text-ink-3">{t('connect:actions')}</h3>
          <ul className="flex flex-wrap gap-1">
            {ACTIONS.map(([key, bit]) => {
              const isAllowed = (session.actions & bit) !== 0;
              return (
                <li key={key} className="pt-chip">
                  {isAllowed ? t(key) : t('connect:not_allowed', { action: t(key) })}
                </li>
              );
            })}
          </ul>
        </>
      )}
      {session && (
        <>
          <h3 className="mt-3 mb-1 text-ink-3">{t('connect:own_client')}</h3>
          <SshLines
            asset={{ id: target.assetId, name: target.assetName }}
            systemUser={target.systemUser}
            transfers={ACTIONS.some(([, bit]) => (session.actions & bit) !== 0)}
          />
        </>
      )}
    </aside>
  );
}
