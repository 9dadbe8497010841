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

/** A code for the person's SSH client. `until`: in milliseconds, by the clock of this browser. */
export interface SshCode {
  readonly code: string;
  readonly until: number;
}

/** How long a code is good: the server's time and the browser's may differ, so only the length counts. */
const CODE_MS = 120_000;

export async function newSshCode(): Promise<SshCode> {
  const asked = Date.now();
  const { code } = await http.post<{ readonly code: string }>(
    'authentication/ssh-codes/',
    {},
    { quiet: true },
  );
  return { code, until: asked + CODE_MS };
}

/** The public address of the installation. If none is set, the host name of the current page. */
export const sshAddressQuery = queryOptions({
  queryKey: ['ssh-address'],
  queryFn: async (): Promise<SshAddress> => {
    const { host, port } = await http.get<SshAddress>('terminal/ssh-address/', { quiet: true });
    return { host: host === '' ? location.hostname.replaceAll(/[[\]]/g, '') : host, port };
  },
  staleTime: 300_000,
});

/** The system users that the person may use on the asset over SSH, best first. Empty when the asset is not granted. */
export const usableQuery = (assetId: string) =>
  queryOptions({
    queryKey: ['ssh-lines', assetId],
    queryFn: async () => {
      try {
        const usable = await http.get<readonly UsableSystemUser[]>(
          `perms/users/assets/${assetId}/system-users/`,
          {
            quiet: true,
          },
        );
        return usable
          .filter((systemUser) => systemUser.protocol === 'ssh')
          .sort((a, b) => b.priority - a.priority);
      } catch (error) {
        if (error instanceof HttpError && error.status === 404) return [];
        throw error;
      }
    },
  });

export function mayTransfer({ actions }: UsableSystemUser): boolean {
  return actions.includes('upload_file') || actions.includes('download_file');
}
