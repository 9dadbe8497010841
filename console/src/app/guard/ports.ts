import { http, setRequestOrganization } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import {
  DEFAULT_ORG_ID,
  ORGANIZATION_COOKIE,
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
import { toast } from '#/ui/toast';
import { menuFor } from '../sections';
import type { GuardPorts } from './machine';

export async function loadPublicSettings(): Promise<PublicSettings> {
  const { data } = await http.get<{ data: PublicSettings }>('settings/public/', { quiet: true });
  return data;
}

/** The guard's ports, connected to the real server, cookies and storage. */
export const browserPorts: GuardPorts = {
  loadSettings: loadPublicSettings,
  csrfToken: () => readCookie('csrftoken'),
  loadProfile: () => http.get<Profile>('users/profile/', { quiet: true }),
  loadOrganization: (id) => http.get<Organization>('orgs/orgs/current/', { query: { oid: id }, quiet: true }),
  // Without the cookie the server uses the default organization.
  organizationOfProfile: () => readCookie(ORGANIZATION_COOKIE) ?? DEFAULT_ORG_ID,
  rememberedOrganization,
  rememberOrganization,
  rememberedRole,
  rememberRole,
  tellOrganizationLost: (lost, now) =>
    toast({
      tone: 'info',
      text: translate('app:organization.lost', { lost: lost.name, now: now.name }),
      stays: true,
    }),
  useOrganization: (organization) => setRequestOrganization(organization.id),
  buildRoutes: (session) => {
    // Contradictory route records fail here, before anything is drawn.
    menuFor(session);
    setSession(session);
  },
};
