import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { loadNamespaces } from '#/lib/i18n';
import { Bit, Role } from '#/lib/permissions';
import { queryClient } from '#/lib/query';
import { DEFAULT_ORG_ID, currentSession, setSession } from '#/lib/session';
import { ConfirmHost } from '#/ui/confirm';
import { Tips } from '#/ui/tips';
import { Buttons, Choices, Fields } from './GalleryControls';
import { Data, Marks, States } from './GalleryData';
import { Cells, FormFields, GenericTables, ListParts } from './GalleryKit';
import { Overlays } from './GalleryOverlays';

/* Development only: every component in every state, to look at and to run axe on. Its words are samples, not texts of
   the product. */

const ORGANIZATION = { id: DEFAULT_ORG_ID, name: 'Default', is_default: true, is_root: false };

/** Some components ask for the current session. Outside of a session the gallery provides a sample one. */
function pretendSession(): void {
  if (currentSession()) return;
  setSession({
    token: '',
    settings: {},
    profile: {
      id: 'gallery',
      username: 'gallery',
      name: 'Gallery',
      email: '',
      role: 'Admin',
      source: 'local',
      is_first_login: false,
      is_superuser: true,
      is_org_admin: true,
      need_update_password: false,
      current_org_roles: ['Admin'],
      admin_or_audit_orgs: [ORGANIZATION],
      user_all_orgs: [ORGANIZATION],
      date_password_last_updated: null,
    },
    organization: ORGANIZATION,
    organizations: [ORGANIZATION],
    roles: [Role.SuperAdmin],
    permissions: Role.SuperAdmin,
    currentRole: Role.SuperAdmin | Bit.audit,
    mfaVerifiedAt: null,
  });
}

export function Gallery() {
  const [ready, setReady] = useState(false);
  useEffect(() => {
    pretendSession();
    document.title = 'Gallery - Postern';
    void loadNamespaces(['app', 'ui', 'resource']).then(() => setReady(true));
  }, []);
  if (!ready) return null;
  return (
    <QueryClientProvider client={queryClient}>
      <main className="p-6 max-sm:p-3">
        <h1 className="mb-4 text-title">Gallery</h1>
        <div className="grid grid-cols-1 gap-6 lg:grid-cols-3">
          <Buttons />
          <Fields />
          <div className="grid grid-cols-1 content-start gap-6">
            <Choices />
            <Marks />
            <Overlays />
            <Cells />
          </div>
          <div className="min-w-0 lg:col-span-2">
            <Data />
          </div>
          <States />
          <div className="min-w-0 lg:col-span-2">
            <GenericTables />
          </div>
          <ListParts />
          <FormFields />
        </div>
      </main>
      <ConfirmHost />
      <Tips />
    </QueryClientProvider>
  );
}
