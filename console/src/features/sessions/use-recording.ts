import { useEffect, useState } from 'react';
import { httpSource, Recording } from '#/islands/replay/container';

interface Opened {
  /** Null while the recording is loading, and after a failure. */
  readonly recording: Recording | null;
  readonly failure: Error | null;
  readonly reopen: () => void;
}

/** Opens the recording at an address once, and again when `reopen` is called. */
export function useRecording(src: string): Opened {
  const [recording, setRecording] = useState<Recording | null>(null);
  const [failure, setFailure] = useState<Error | null>(null);
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    const abort = new AbortController();
    const open = async (): Promise<void> => {
      try {
        setRecording(await Recording.open(httpSource(`${src}?attempt=${attempt}`, abort.signal)));
        setFailure(null);
      } catch (error) {
        if (!abort.signal.aborted) setFailure(error instanceof Error ? error : new Error(String(error)));
      }
    };
    void open();
    return () => abort.abort();
  }, [src, attempt]);

  const reopen = (): void => {
    setFailure(null);
    setRecording(null);
    setAttempt(attempt + 1);
  };
  return { recording, failure, reopen };
}
