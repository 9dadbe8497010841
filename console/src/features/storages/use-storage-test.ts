import { useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import type { StorageKind } from './addresses';
import { testStorage } from './storage-row';

interface Outcome {
  readonly isOk: boolean;
  readonly text: string;
}

/** Tests a storage on request; `outcome` is null until a test has ended. */
export function useStorageTest(kind: StorageKind, id: string) {
  const t = useT();
  const [isRunning, setRunning] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const run = async () => {
    setRunning(true);
    setOutcome(null);
    try {
      const { is_valid: isOk, msg } = await testStorage(kind, id);
      setOutcome({ isOk, text: msg === '' ? t(isOk ? 'storages:test.ok' : 'storages:test.failed') : msg });
    } catch (error) {
      setOutcome({ isOk: false, text: explain(error) });
    } finally {
      setRunning(false);
    }
  };
  return { isRunning, outcome, run };
}
