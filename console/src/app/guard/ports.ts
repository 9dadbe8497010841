import { http } from '#/lib/http/client';
import { setRequestOrganization } from '#/lib/http/client';
import {
  type Organization,
  type Profile,
  type PublicSettings,
  rememberedOrganization,
  rememberedRole,
  rememberOrganization,
  rememberRole,
  setSession,
} from '#/lib/session';
import { readCookie } from '#/lib/storage';
import type { GuardPorts } from './machine';

export async function loadPublicSettings(): Promise<PublicSettings> {
  const { data } = await http.get<{ data: PublicSettings }>('settings/public/', { quiet: true });
  return data;
}

/** The guard's view of the real world. */
export const browserPorts: GuardPorts = {
  loadSettings: loadPublicSettings,
  hasCsrfCookie: () => readCookie('csrftoken') !== null,
  loadProfile: () => http.get<Profile>('users/profile/', { quiet: true }),
  loadCurrentOrganization: () => http.get<Organization>('orgs/orgs/current/', { quiet: true }),
  rememberedOrganization,
  rememberOrganization,
  rememberedRole,
  rememberRole,
  useOrganization: (organization) => setRequestOrganization(organization.id),
  buildRoutes: (session) => setSession(session),
};
