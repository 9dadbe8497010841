import { useEffect, useReducer } from 'react';
import { explain } from '#/lib/http/catalogue';
import type { Entry, Place } from './contract';
import type { FilesApi } from './files-api';

export interface Folder {
  /** What was read: the session and the path. */
  readonly key: string;
  readonly version: number;
  readonly place: Place | null;
  readonly entries: readonly Entry[];
  readonly isReading: boolean;
  /** Why the list is not whole. */
  readonly incomplete: string | null;
  /** Why nothing is shown. */
  readonly failure: string | null;
}

const NOTHING: Folder = {
  key: '',
  version: 0,
  place: null,
  entries: [],
  isReading: false,
  incomplete: null,
  failure: null,
};

/** Each drawing of a long list takes time, so the pauses between them grow. In ms. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1600;

/** Reads a folder, and calls `show` with what is there so far: at once, and then now and then. Never rejects. */
export async function readFolder(
  api: FilesApi,
  path: string | null,
  show: (folder: Omit<Folder, 'key' | 'version'>) => void,
  signal: AbortSignal,
): Promise<void> {
  let place: Place | null = null;
  const entries: Entry[] = [];
  let pauseMs = 0;
  let shownAt = -Infinity;
  const showNow = (more: Partial<Folder>): void => {
    if (!signal.aborted) show({ ...NOTHING, place, entries: [...entries], ...more });
  };
  const listener = {
    place: (found: Place) => {
      place = found;
    },
    entries: (found: readonly Entry[]) => {
      for (const entry of found) entries.push(entry);
      if (performance.now() - shownAt < pauseMs) return;
      showNow({ isReading: true });
      pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, pauseMs * 2));
      shownAt = performance.now();
    },
  };
  try {
    showNow({ incomplete: await api.list(path, listener, signal) });
  } catch (error) {
    if (place === null) showNow({ failure: explain(error) });
    else showNow({ incomplete: explain(error) });
  }
}

/** The folder of a pane, read again when `version` changes. Meanwhile what was there stays. */
export function useFolder(api: FilesApi | null, path: string | null, version: number): Folder {
  const [folder, setFolder] = useReducer((_: Folder, next: Folder) => next, NOTHING);
  const base = api?.base ?? null;
  const key = `${base ?? ''}?${path ?? ''}`;
  const isSame = folder.key === key;
  useEffect(() => {
    if (api === null) return undefined;
    const control = new AbortController();
    const show = (next: Omit<Folder, 'key' | 'version'>): void => {
      // What is read again replaces the rows at once, not piece by piece.
      if (next.isReading && isSame) return;
      setFolder({ ...next, key, version });
    };
    void readFolder(api, path, show, control.signal);
    return () => control.abort();
    // The session of `base`, the folder and its version are what is read.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [base, path, version]);
  // The session has ended: what was read last stays.
  if (base === null) return folder;
  if (!isSame) return { ...NOTHING, key, version, isReading: true };
  return { ...folder, isReading: folder.isReading || folder.version !== version };
}
