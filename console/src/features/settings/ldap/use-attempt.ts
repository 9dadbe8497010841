import { useState } from 'react';
import { explain } from '#/lib/http/catalogue';

export interface Result {
  readonly isOk: boolean;
  readonly text: string;
}

/** One call at a time whose answer, or failure, stays beside its button. */
export function useAttempt() {
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<Result | null>(null);
  const run = async (call: () => Promise<string>, onError?: (error: unknown) => void): Promise<boolean> => {
    setBusy(true);
    setResult(null);
    try {
      setResult({ isOk: true, text: await call() });
      return true;
    } catch (error) {
      onError?.(error);
      setResult({ isOk: false, text: explain(error) });
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, result, run };
}
