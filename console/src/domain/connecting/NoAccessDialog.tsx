import { useQuery } from '@tanstack/react-query';
import { KeyRound, OctagonX } from 'lucide-react';
import { AdminPageLink } from '#/domain/admin-page/AdminPageLink';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { useIsRootOrganization } from '#/lib/session';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { AppLink } from '#/ui/link';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { visible } from '#/ui/visible-text';
import { type OwnAccess, ownAccessQuery } from './api';

/** Address of the permission form, with asset, person and account filled in. */
function permissionForm({ asset, user, system_user: account }: OwnAccess): string {
  const filled = new URLSearchParams({ asset: asset?.id ?? '', user });
  if (account) filled.set('system_user', account.id);
  return paths.createAssetPermission(`?${filled.toString()}`);
}

function Reasons({ access }: { readonly access: OwnAccess }) {
  const reasons = access.reasons.length > 0 ? access.reasons : [{ ...access, permission: null }];
  return (
    <ul className="grid gap-1.5">
      {reasons.map(({ code, message, permission }) => (
        <li
          key={`${code}-${permission?.id ?? ''}`}
          className="flex items-start gap-2 [overflow-wrap:anywhere]"
        >
          <OctagonX className="mt-0.5 size-4 flex-none text-danger" aria-hidden />
          {permission ? (
            <AppLink to={paths.assetPermission(permission.id)}>{visible(message)}</AppLink>
          ) : (
            visible(message)
          )}
        </li>
      ))}
    </ul>
  );
}

function NextStep({ access }: { readonly access: OwnAccess }) {
  const t = useT();
  const isRoot = useIsRootOrganization();
  if (access.allowed) return <p className="text-ink-2">{t('connecting:why.allowed')}</p>;
  if (access.may_grant) {
    return (
      <p className="text-ink-2">
        {access.system_user
          ? t('connecting:why.grant_help_account', { account: visible(access.system_user.name) })
          : t('connecting:why.grant_help')}
      </p>
    );
  }
  if (access.ask.length > 0)
    return (
      <p className="text-ink-2">
        {t('connecting:why.ask', { names: access.ask.map(visible).join(t('connecting:why.comma')) })}
      </p>
    );
  return <p className="text-ink-2">{t(isRoot ? 'connecting:why.in_root' : 'connecting:why.ask_anybody')}</p>;
}

/** Why a connection is refused, and what helps: the prefilled form of the missing permission, or whom to ask. */
export function NoAccessDialog({
  assetId,
  onClose,
}: {
  readonly assetId: string;
  readonly onClose: () => void;
}) {
  const t = useT();
  const access = useQuery(ownAccessQuery(assetId));
  const name = access.data?.asset?.name;
  return (
    <Dialog
      isOpen
      size="text"
      title={
        name === undefined
          ? t('connecting:why.title')
          : t('connecting:why.title_asset', { asset: visible(name) })
      }
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('connecting:close')}</Button>
          {access.data?.may_grant && !access.data.allowed && (
            <AdminPageLink to={permissionForm(access.data)} kind="primary" icon={KeyRound} newTab>
              {t('connecting:why.grant')}
            </AdminPageLink>
          )}
        </>
      }
    >
      {access.isPending && (
        <div aria-busy="true">
          <SkeletonLines lines={3} />
        </div>
      )}
      {access.isError && (
        <FailedState
          title={t('connecting:why.failed')}
          message={explain(access.error)}
          requestId={requestIdOf(access.error)}
          onRetry={() => void access.refetch()}
        />
      )}
      {access.data && (
        <div className="grid gap-3">
          {!access.data.allowed && <Reasons access={access.data} />}
          <NextStep access={access.data} />
        </div>
      )}
    </Dialog>
  );
}
