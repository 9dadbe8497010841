import { Play, Server } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Note } from '#/ui/note';
import { Select } from '#/ui/select';
import { Skeleton } from '#/ui/skeleton';
import type { UsableSystemUser } from './api';
import type { Selection } from './selection';

// Loaded on demand: the editor is large.
const CommandEditor = lazy(async () => ({
  default: (await import('#/islands/editor/CommandEditor')).CommandEditor,
}));
const HostsDialog = lazy(async () => ({ default: (await import('./HostsDialog')).HostsDialog }));

export interface Draft {
  readonly systemUser: string | null;
  readonly hosts: Selection;
  readonly command: string;
}

export interface ComposerProps {
  readonly systemUsers: readonly UsableSystemUser[];
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly onRun: () => void;
  readonly busy: boolean;
  /** The server's answer to the last try. */
  readonly error: string;
}

/** On which hosts, as whom, and what. */
export function Composer({ systemUsers, draft, onChange, onRun, busy, error }: ComposerProps) {
  const t = useT();
  const [isChoosing, setChoosing] = useState(false);
  const missing =
    draft.systemUser === null
      ? t('jobs:batch.missing_system_user')
      : draft.hosts.size === 0
        ? t('jobs:batch.missing_hosts')
        : draft.command.trim() === ''
          ? t('jobs:batch.missing_command')
          : undefined;
  return (
    <section aria-label={t('jobs:batch.command')} className="pt-card overflow-hidden">
      <div className="grid md:grid-cols-[minmax(200px,280px)_minmax(0,1fr)]">
        <div className="grid content-start gap-3 p-3.5">
          <div className="grid gap-1">
            <span className="text-ink-2">{t('jobs:batch.as_whom')}</span>
            <Select
              label={t('jobs:batch.as_whom')}
              placeholder={t('jobs:batch.choose_system_user')}
              options={systemUsers.map((systemUser) => ({
                value: systemUser.id,
                label:
                  systemUser.username === ''
                    ? systemUser.name
                    : `${systemUser.name} (${systemUser.username})`,
              }))}
              value={draft.systemUser}
              onChange={(systemUser) => onChange({ ...draft, systemUser, hosts: new Map() })}
            />
          </div>
          <div className="grid gap-1">
            <span className="text-ink-2">{t('jobs:batch.hosts')}</span>
            <Button
              icon={Server}
              disabledReason={draft.systemUser === null ? t('jobs:batch.missing_system_user') : undefined}
              className="justify-start!"
              onClick={() => setChoosing(true)}
            >
              {draft.hosts.size === 0
                ? t('jobs:batch.choose_hosts')
                : t('jobs:batch.chosen', { count: draft.hosts.size })}
            </Button>
          </div>
          <Button kind="primary" icon={Play} busy={busy} disabledReason={missing} onClick={onRun}>
            {t('jobs:batch.run')}
          </Button>
        </div>
        <div data-theme="dark" className="h-52 min-w-0 bg-term-bg">
          <Suspense fallback={<Skeleton className="h-full" />}>
            <CommandEditor
              label={t('jobs:batch.command')}
              placeholder={t('jobs:batch.type_here')}
              value={draft.command}
              isInvalid={error !== ''}
              onChange={(command) => onChange({ ...draft, command })}
              onRun={() => missing === undefined && onRun()}
            />
          </Suspense>
        </div>
      </div>
      {error !== '' && (
        <div className="border-t border-line p-3">
          <Note tone="danger" announce>
            {error}
          </Note>
        </div>
      )}
      {isChoosing && draft.systemUser !== null && (
        <Suspense>
          <HostsDialog
            systemUser={draft.systemUser}
            selection={draft.hosts}
            onChange={(hosts) => onChange({ ...draft, hosts })}
            onClose={() => setChoosing(false)}
          />
        </Suspense>
      )}
    </section>
  );
}
