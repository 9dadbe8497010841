import { ChevronsUpDown } from 'lucide-react';
import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { isAdminPage, useSession } from '#/lib/session';
import { MenuButton } from '#/ui/menu';
import { offersOrganizations, switchOrganization } from './switch-organization';

function Tile({ name }: { readonly name: string }) {
  return (
    <span
      aria-hidden
      className="grid size-5 flex-none place-items-center rounded-t-full rounded-b-1 bg-accent-soft-2 text-meta font-medium text-accent"
    >
      {name.slice(0, 1).toUpperCase()}
    </span>
  );
}

/** The current organization and the others. Typing filters a long list. */
export function OrganizationSelector({ folded }: { readonly folded: boolean }) {
  const t = useT();
  const session = useSession();
  const [busy, setBusy] = useState(false);
  if (!offersOrganizations(session, isAdminPage(session.currentRole))) return null;
  const { organization, organizations } = session;
  const change = async (id: string) => {
    if (id === organization.id || busy) return;
    setBusy(true);
    // The page reloads. The http client has already shown a refusal.
    await switchOrganization(id, session).catch(() => setBusy(false));
  };
  return (
    <div className={folded ? 'flex justify-center py-1' : 'px-2 py-1'} aria-busy={busy}>
      <MenuButton
        label={t('shell:organization.label', { name: organization.name })}
        align="start"
        iconOnly={folded}
        className={folded ? '' : 'h-8! w-full justify-start! px-2! max-md:min-h-11'}
        entries={organizations.map((entry) => ({
          id: entry.id,
          label: entry.name,
          selected: entry.id === organization.id,
          ...(entry.is_root ? { detail: t('shell:organization.root') } : {}),
          run: () => void change(entry.id),
        }))}
      >
        <Tile name={organization.name} />
        {!folded && (
          <>
            <span className="sr-only">{t('shell:organization.short')}</span>
            <span className="min-w-0 grow truncate text-left">{organization.name}</span>
            <ChevronsUpDown className="size-[14px]! text-ink-3" aria-hidden />
          </>
        )}
      </MenuButton>
    </div>
  );
}
