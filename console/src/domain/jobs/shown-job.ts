import { create } from 'zustand';
import { http } from '#/lib/http/client';

/** The job whose dialog is open. A module of its own, because every feature can start jobs. */
export const useShownJob = create<{ readonly id: string | null }>(() => ({ id: null }));

export function showJob(id: string): void {
  useShownJob.setState({ id });
}

export function hideJob(): void {
  useShownJob.setState({ id: null });
}

/** Starts a job by a call that answers `{task}`, and shows its log. Failures are reported as those of any call. */
export async function startJob(
  path: string,
  body: object = {},
  options: { readonly quiet?: boolean } = {},
): Promise<void> {
  const { task } = await http.post<{ readonly task: string }>(path, body, options);
  showJob(task);
}
