import { type QueryClient, useQuery } from '@tanstack/react-query';
import { http } from '#/lib/http/client';
import { HttpError } from '#/lib/http/errors';
import type { VouchingProvider } from '#/domain/external/providers';

/**
 * How a person confirms who they are: with the password, of Postern or of the directory, or at the provider that vouches for them. `isConfirmed`: they
 * did so a moment ago. Others cannot.
 */
export type Confirming =
  | { readonly by: 'password'; readonly isOfDirectory?: boolean }
  | { readonly by: 'provider'; readonly provider: VouchingProvider; readonly isConfirmed: boolean }
  | { readonly by: 'nothing' };

interface Confirmation {
  readonly provider: VouchingProvider | null;
  readonly is_confirmed: boolean;
}

const PATH = 'authentication/confirmation/';
const KEY = ['confirmation'];

/** For a person of this source; undefined while the server is asked. People with a password are not asked about. */
export function useConfirming(source: string): Confirming | undefined {
  const isOfDirectory = source === 'ldap';
  const hasPassword = source === 'local' || isOfDirectory;
  const { data, isError } = useQuery({
    queryKey: KEY,
    queryFn: () => http.get<Confirmation>(PATH, { quiet: true }),
    staleTime: 0,
    enabled: !hasPassword,
  });
  if (hasPassword) return { by: 'password', isOfDirectory };
  if (data === undefined) return isError ? { by: 'nothing' } : undefined;
  if (data.provider === null) return { by: 'nothing' };
  return { by: 'provider', provider: data.provider, isConfirmed: data.is_confirmed };
}

/** Whether the password that confirms it is that of a directory. */
export function isOfDirectory(confirming: Confirming): boolean {
  return confirming.by === 'password' && confirming.isOfDirectory === true;
}

/** Runs a change. When the confirmation has expired meanwhile, the state is asked for again, and the error is thrown. */
export async function noticingExpiry<Result>(
  client: QueryClient,
  change: () => Promise<Result>,
): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof HttpError && error.code === 'password_verify_required') {
      void client.invalidateQueries({ queryKey: KEY });
    }
    throw error;
  }
}

/** The page of the server that leads to the provider. The browser comes back to this page, with the dialog open. */
export function confirmAddress(dialog: string): string {
  const here = new URL(location.href);
  here.searchParams.set('dialog', dialog);
  return `/core/auth/confirm/?next=${encodeURIComponent(`${here.pathname}${here.search}`)}`;
}

/** Uses the visit with which the browser came back from the provider. */
export function confirmAfterVisit(id: string): Promise<{ readonly next: string }> {
  return http.post<{ next: string }>(PATH, { id }, { quiet: true });
}
