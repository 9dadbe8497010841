import { useQuery } from '@tanstack/react-query';
import type { Api } from '#/lib/api-types';
import { fetchFile, saveFile } from '#/lib/http/file';
import { http } from '#/lib/http/client';
import { queryClient } from '#/lib/query';

export type Job = Api<'JobResult'>;

const OPEN_MS = 1_500;

function keyOf(id: string): readonly string[] {
  return ['job', id];
}

/** The state of a job, read again while it is open. */
export function useJob(id: string) {
  return useQuery({
    queryKey: keyOf(id),
    queryFn: () => http.get<Job>(`ops/celery/task/${id}/result/`, { quiet: true }),
    refetchInterval: ({ state }) => (state.data?.is_open === true ? OPEN_MS : false),
    staleTime: 0,
  });
}

export function refreshJob(id: string): void {
  void queryClient.invalidateQueries({ queryKey: keyOf(id) });
}

export async function cancelJob(id: string): Promise<void> {
  await http.post(`ops/celery/task/${id}/cancel/`, {});
  refreshJob(id);
}

export async function downloadLog(id: string): Promise<void> {
  const file = await fetchFile(`ops/celery/task/${id}/log/file/`, {});
  saveFile(file.content, file.name ?? `job-${id}.log`);
}
