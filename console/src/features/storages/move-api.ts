import { queryOptions } from '@tanstack/react-query';
import { mayAskUnbidden } from '#/lib/http/asking';
import { http } from '#/lib/http/client';
import { fetchPage } from '#/resource/api';
import { storageApi, type StorageRow } from './storage-row';

/** How far a move of the recordings of a storage is. */
export interface MoveState {
  /** Name of the storage to which they are being moved; null while no move runs. */
  readonly target: string | null;
  /** Recordings that lie in the storage. */
  readonly recordings: number;
  /** Recordings of the running move, and those of them that still lie in the storage. */
  readonly total: number;
  readonly left: number;
  /** Recordings whose last copy failed, and why the latest did. */
  readonly failing: number;
  readonly reason: string;
}

const FOLLOW_MS = 3_000;
/** The server holds no more storages than this. */
const MOST = 100;

export function isRunning(state: MoveState | undefined): boolean {
  return state !== undefined && state.target !== null;
}

export const moveQuery = (id: string) =>
  queryOptions({
    queryKey: ['storage-move', id],
    queryFn: () => http.get<MoveState>(`${storageApi.replay}${id}/move-recordings/`, { quiet: true }),
    staleTime: 0,
    gcTime: 0,
    refetchInterval: ({ state }) => (isRunning(state.data) && mayAskUnbidden() ? FOLLOW_MS : false),
  });

/** The storages to which the recordings of this one can be moved. */
export const targetsQuery = (id: string) =>
  queryOptions({
    queryKey: ['storage-targets', id],
    queryFn: async () => {
      const { results } = await fetchPage<StorageRow>(storageApi.replay, { limit: MOST, offset: 0 });
      return results.filter((row) => row.id !== id && row.type !== 'null');
    },
    staleTime: 0,
    gcTime: 0,
  });

export function startMove(id: string, target: string): Promise<MoveState> {
  return http.post<MoveState>(`${storageApi.replay}${id}/move-recordings/`, { target }, { quiet: true });
}
