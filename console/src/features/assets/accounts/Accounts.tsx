import { PlugZap } from 'lucide-react';
import { useMemo } from 'react';
import type { QueryValues } from '#/lib/http/query-string';
import { useT } from '#/lib/i18n';
import { useIsRootOrganization } from '#/lib/session';
import { ResourceList } from '#/resource/list/ResourceList';
import { Button } from '#/ui/button';
import { CreateAccountButton } from '../account-changes';
import { AccountDialogs } from './AccountDialogs';
import { testAllAccounts } from './account-actions';
import { type AccountPlace, accountsSeenFrom } from './account.resource';

/** The accounts that the query selects, as a table inside a page, with its dialogs. */
export function Accounts({ place, query }: { readonly place: AccountPlace; readonly query: QueryValues }) {
  const t = useT();
  const isRoot = useIsRootOrganization();
  const resource = useMemo(() => accountsSeenFrom(place), [place]);
  return (
    <>
      <ResourceList
        resource={resource}
        query={query}
        embedded
        tools={
          isRoot ? undefined : (
            <>
              <Button icon={PlugZap} onClick={() => void testAllAccounts(query)}>
                {t('accounts:test_all')}
              </Button>
              <CreateAccountButton query={query} />
            </>
          )
        }
      />
      <AccountDialogs />
    </>
  );
}

/** The accounts of an asset. */
export function AccountsOfAsset({ assetId }: { readonly assetId: string }) {
  const query = useMemo(() => ({ asset: assetId }), [assetId]);
  return <Accounts place="asset" query={query} />;
}

/** The accounts of a system user. */
export function AccountsOfSystemUser({ systemUserId }: { readonly systemUserId: string }) {
  const query = useMemo(() => ({ systemuser: systemUserId }), [systemUserId]);
  return <Accounts place="system_user" query={query} />;
}
