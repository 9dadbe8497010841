import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { TimeCell } from '#/resource/format';
import { Button } from '#/ui/button';
import { Card, Definitions } from '#/ui/card';
import { AppLink } from '#/ui/link';
import { Note } from '#/ui/note';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { Status } from '#/ui/status';

interface PartFacts {
  readonly name: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly running: number | null;
  readonly wanted: number | null;
  readonly since: string | null;
}

interface BrokenSetting {
  readonly name: string;
  readonly title: string;
  readonly category: string;
}

interface Facts {
  readonly version: string;
  readonly api_level: string;
  readonly python: string;
  readonly system: string;
  readonly database: string;
  readonly redis: string;
  readonly time_zone: string;
  readonly secret_store: string;
  readonly free_mb: number;
  readonly parts: readonly PartFacts[];
  readonly broken_settings: readonly BrokenSetting[];
}

const MB_IN_GB = 1024;

/** Saves the facts as a file. They hold no secrets. */
function saveAsFile(facts: Facts): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(facts, null, 2)], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `postern-${facts.version}-diagnostics.json`;
  link.click();
  URL.revokeObjectURL(url);
}

function Parts({ parts }: { readonly parts: readonly PartFacts[] }) {
  const t = useT();
  return (
    <ul className="settings-parts">
      {parts.map((part) => (
        <li key={part.name}>
          <span className="font-mono">{part.name}</span>
          <Status tone={part.ok ? 'ok' : 'danger'}>
            {t(part.ok ? 'settings:part.up' : 'settings:part.down')}
          </Status>
          {part.wanted !== null && (
            <span className="text-ink-2">
              {t('settings:part.processes', { running: part.running, wanted: part.wanted })}
            </span>
          )}
          {part.since !== null && (
            <span className="ml-auto text-ink-3">
              {t('settings:part.since')} <TimeCell value={part.since} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Settings whose stored value cannot be used, each with the way to its form. */
function BrokenSettings({ settings }: { readonly settings: readonly BrokenSetting[] }) {
  const t = useT();
  return (
    <Note tone="warn">
      <p>{t('settings:broken.some')}</p>
      <ul className="mt-1 grid gap-0.5">
        {settings.map((one) => (
          <li key={one.name} className="[overflow-wrap:anywhere]">
            {one.category === '' ? (
              one.title
            ) : (
              // i18n: settings:tab.*
              <AppLink className="underline" to={`/settings?activeTab=${one.category}`}>
                {t(`settings:tab.${one.category}`)} › {one.title}
              </AppLink>
            )}{' '}
            <code className="font-mono text-meta">{one.name}</code>
          </li>
        ))}
      </ul>
    </Note>
  );
}

/** Versions and parts of this installation, and a file for those whom one asks for help. */
export function AboutTab() {
  const t = useT();
  const query = useQuery({
    queryKey: ['settings-about'],
    queryFn: () => http.get<Facts>('settings/about/', { quiet: true }),
    staleTime: 0,
  });
  const facts = query.data;
  if (query.error) {
    return (
      <FailedState
        title={t('settings:about.failed')}
        message={explain(query.error)}
        requestId={requestIdOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  }
  if (!facts) {
    return (
      <div className="pt-card" aria-busy="true">
        <SkeletonLines lines={6} />
      </div>
    );
  }
  return (
    <div className="grid max-w-[960px] gap-3">
      {facts.broken_settings.length > 0 && <BrokenSettings settings={facts.broken_settings} />}
      <Card title={`Postern ${facts.version}`} aside={`API ${facts.api_level}`} flush>
        <Definitions
          items={[
            { label: t('settings:about.database'), value: facts.database },
            { label: 'Redis', value: facts.redis },
            { label: 'Python', value: facts.python },
            { label: t('settings:about.system'), value: facts.system },
            { label: t('settings:about.time_zone'), value: facts.time_zone },
            { label: t('settings:about.secret_store'), value: facts.secret_store },
            {
              label: t('settings:about.free'),
              value: t('settings:about.gb', { amount: (facts.free_mb / MB_IN_GB).toFixed(1) }),
            },
          ]}
        />
      </Card>
      <Card title={t('settings:about.parts')} flush>
        <Parts parts={facts.parts} />
      </Card>
      <Card title={t('settings:about.diagnostics')}>
        <p className="mb-3 text-ink-2">{t('settings:about.diagnostics_how')}</p>
        <Button icon={Download} onClick={() => saveAsFile(facts)}>
          {t('settings:about.download')}
        </Button>
      </Card>
    </div>
  );
}
