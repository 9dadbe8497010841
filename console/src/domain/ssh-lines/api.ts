import { queryOptions } from '@tanstack/react-query';
import { HttpError } from '#/lib/http/errors';
import { http } from '#/lib/http/client';
import type { SshAddress } from '#/lib/ssh-lines';

/** A system user that the person may use on an asset. */
export interface UsableSystemUser {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly protocol: string;
  readonly priority: number;
  readonly actions: readonly string[];
}

/** The installation's address; where it names none, the host under which the console was called. */
export const sshAddressQuery = queryOptions({
  queryKey: ['ssh-address'],
  queryFn: async (): Promise<SshAddress> => {
    const { host, port } = await http.get<SshAddress>('terminal/ssh-address/', { quiet: true });
    return { host: host === '' ? location.hostname.replaceAll(/[[\]]/g, '') : host, port };
  },
  staleTime: 300_000,
});

/** What the person may use on the asset over SSH, best first; nothing when the asset is not granted to them. */
export const usableQuery = (assetId: string) =>
  queryOptions({
    queryKey: ['ssh-lines', assetId],
    queryFn: async () => {
      try {
        const all = await http.get<readonly UsableSystemUser[]>(
          `perms/users/assets/${assetId}/system-users/`,
          {
            quiet: true,
          },
        );
        return all.filter((one) => one.protocol === 'ssh').sort((a, b) => b.priority - a.priority);
      } catch (error) {
        if (error instanceof HttpError && error.status === 404) return [];
        throw error;
      }
    },
  });

export function mayTransfer({ actions }: UsableSystemUser): boolean {
  return actions.includes('upload_file') || actions.includes('download_file');
}
