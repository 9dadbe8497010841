import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { confirm } from '#/ui/confirm';
import { runCommand, whyOf } from './api';
import type { Draft } from './Composer';

/** From this number of hosts on, the person is asked. */
const MANY = 50;
const NAMED = 8;

/** Runs a draft, and says why the server refused it. `onStart` gets the id of the command. */
export function useRun(onStart: (id: string) => void) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const mayRun = (draft: Draft): Promise<boolean> => {
    const count = draft.hosts.size;
    if (count < MANY) return Promise.resolve(true);
    return confirm({
      title: t('jobs:batch.run_on', { count }),
      effect: t('jobs:batch.run_on_many'),
      names: [...draft.hosts.values()].slice(0, NAMED),
      total: count,
      confirmLabel: t('jobs:batch.run_on_confirm', { count }),
    });
  };
  const run = async (draft: Draft): Promise<void> => {
    if (busy || draft.systemUser === null || !(await mayRun(draft))) return;
    setBusy(true);
    setError('');
    try {
      const row = await runCommand({
        command: draft.command,
        run_as: draft.systemUser,
        hosts: [...draft.hosts.keys()],
      });
      onStart(row.id);
    } catch (cause) {
      setError(whyOf(cause));
    }
    setBusy(false);
  };
  return { run, busy, error, forgetError: () => setError('') };
}
