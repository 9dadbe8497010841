import { useQuery } from '@tanstack/react-query';
import {
  asksUsername,
  type CredentialProblems,
  forgetCredential,
  type KeptCredential,
  keptQuery,
  type TypedCredential,
} from '#/domain/entered-credentials/api';
import { CredentialFields } from '#/domain/entered-credentials/CredentialFields';
import { useT } from '#/lib/i18n';
import { TimeCell } from '#/resource/format';
import { Button } from '#/ui/button';
import { Note } from '#/ui/note';
import { SkeletonLines } from '#/ui/skeleton';
import { VisibleText } from '#/ui/visible-text';
import type { GrantedSystemUser } from './api';

/** The stored credential that the session will use, and ways not to use it. */
function StoredSignIn({
  credential,
  onReplace,
}: {
  readonly credential: KeptCredential;
  readonly onReplace: () => void;
}) {
  const t = useT();
  return (
    <Note>
      <p>
        {t('connecting:manual.kept')} <VisibleText text={credential.username} /> ·{' '}
        {t('connecting:manual.until')} <TimeCell value={credential.date_expired} exact />
      </p>
      <span className="flex flex-wrap gap-2 pt-1.5">
        <Button size="sm" onClick={onReplace}>
          {t('connecting:manual.replace')}
        </Button>
        <Button size="sm" onClick={() => void forgetCredential(credential.id)}>
          {t('connecting:manual.forget')}
        </Button>
      </span>
    </Note>
  );
}

/** Signing in with a credential that the person enters: the stored credential, or fields for another. */
export function ManualSignIn({
  assetId,
  systemUser,
  replaces,
  onReplace,
  value,
  problems,
  onChange,
}: {
  readonly assetId: string;
  readonly systemUser: GrantedSystemUser;
  /** Whether the person wants to replace the stored credential. */
  readonly replaces: boolean;
  readonly onReplace: () => void;
  readonly value: TypedCredential;
  readonly problems: CredentialProblems;
  readonly onChange: (value: TypedCredential) => void;
}) {
  const t = useT();
  const credential = useQuery(keptQuery({ asset: assetId, systemUser: systemUser.id }));
  if (credential.isPending) return <SkeletonLines lines={2} />;
  // Without the answer the fields serve as well: an entered credential replaces the stored one.
  if (credential.data && !replaces)
    return <StoredSignIn credential={credential.data} onReplace={onReplace} />;
  return (
    <>
      {problems.other !== undefined && <Note tone="danger">{problems.other}</Note>}
      <CredentialFields
        asksUsername={asksUsername(systemUser)}
        value={value}
        problems={problems}
        onChange={onChange}
        passwordHelp={t('connecting:manual.help')}
      />
    </>
  );
}
