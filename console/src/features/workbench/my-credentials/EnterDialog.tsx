import { useQuery } from '@tanstack/react-query';
import { Server } from 'lucide-react';
import { useState } from 'react';
import { CredentialDialog } from '#/domain/credential-form/CredentialDialog';
import {
  asksUsername,
  type CredentialProblems,
  enterCredential,
  type KeptCredential,
  manualQuery,
  missingIn,
  problemsOf,
  type SignIn,
  type TypedCredential,
} from '#/domain/entered-credentials/api';
import { CredentialFields } from '#/domain/entered-credentials/CredentialFields';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import type { RemoteOptions } from '#/resource/define';
import { RemoteSelect } from '#/resource/form/RemoteSelect';
import { textOf } from '#/resource/format';
import { RadioGroup } from '#/ui/choice';
import { Field } from '#/ui/field';
import { Note } from '#/ui/note';
import { SkeletonLines } from '#/ui/skeleton';
import { visible } from '#/ui/visible-text';

/** The assets that the person may reach. */
const myAssets: RemoteOptions = {
  api: 'perms/users/assets/',
  option: (row) => ({ id: textOf(row['id']), label: textOf(row['hostname']), detail: textOf(row['ip']) }),
  icon: Server,
};

/** Choice among the system users of the asset that ask for a credential, if there are several. */
function SystemUserField({
  asset,
  chosen,
  onChoose,
}: {
  readonly asset: string;
  readonly chosen: SignIn | undefined;
  readonly onChoose: (systemUser: SignIn) => void;
}) {
  const t = useT();
  const manual = useQuery(manualQuery(asset));
  if (manual.isPending) return <SkeletonLines lines={1} />;
  if (manual.isError) return <Note tone="danger">{explain(manual.error)}</Note>;
  if (manual.data.length === 0) return <Note>{t('my-credentials:none_manual')}</Note>;
  return (
    <Field label={t('my-credentials:system_user')} layout="above" group>
      {() => (
        <RadioGroup
          name="system-user"
          value={chosen?.id ?? ''}
          onChange={(id) => {
            const systemUser = manual.data.find((candidate) => candidate.id === id);
            if (systemUser) onChoose(systemUser);
          }}
          options={manual.data.map(({ id, name, username }) => ({
            value: id,
            label: visible(username && username !== name ? `${name} (${username})` : name),
          }))}
        />
      )}
    </Field>
  );
}

/** The system user of the dialog: the chosen one, that of the stored credential, or the only one. */
function useSystemUser(asset: string | undefined, chosen: string | undefined): SignIn | undefined {
  const manual = useQuery({ ...manualQuery(asset ?? ''), enabled: asset !== undefined });
  const candidates = manual.data ?? [];
  if (chosen !== undefined) return candidates.find(({ id }) => id === chosen);
  return candidates.length === 1 ? candidates[0] : undefined;
}

/** The asset, and below it the system user. */
function PairFields({
  asset,
  systemUser,
  problem,
  onChoose,
}: {
  readonly asset: string | undefined;
  readonly systemUser: SignIn | undefined;
  readonly problem: string | undefined;
  readonly onChoose: (asset: string | undefined, systemUser: string | undefined) => void;
}) {
  const t = useT();
  return (
    <>
      <Field label={t('my-credentials:asset')} layout="above" error={problem} required>
        {(control) => (
          <RemoteSelect
            control={control}
            label={t('my-credentials:asset')}
            remote={myAssets}
            multiple={false}
            value={asset === undefined ? [] : [asset]}
            onChange={([id]) => onChoose(id, undefined)}
          />
        )}
      </Field>
      {asset !== undefined && (
        <SystemUserField asset={asset} chosen={systemUser} onChoose={({ id }) => onChoose(asset, id)} />
      )}
    </>
  );
}

/** What is missing, by field. */
type Missing = CredentialProblems & { readonly asset?: string };

/** Enters a credential for the next session on an asset, or replaces the stored one. */
export function EnterDialog({
  of,
  onDone,
  onClose,
}: {
  readonly of: KeptCredential | null;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const t = useT();
  const [asset, setAsset] = useState<string | undefined>(of?.asset);
  const [chosen, setChosen] = useState<string | undefined>(of?.system_user);
  const [typed, setTyped] = useState<TypedCredential>({ username: '', password: '' });
  const systemUser = useSystemUser(asset, chosen);

  const missing = (): Missing | null => {
    if (asset === undefined) return { asset: t('resource:form.required') };
    return systemUser ? missingIn(typed, asksUsername(systemUser)) : null;
  };

  return (
    <CredentialDialog<keyof Missing & string>
      isNarrow
      title={
        of
          ? t('my-credentials:replace_title', { name: visible(of.asset_display) })
          : t('my-credentials:enter')
      }
      effect={t('my-credentials:effect')}
      missing={missing}
      save={async () => {
        if (asset !== undefined && systemUser)
          await enterCredential({ asset, systemUser: systemUser.id }, typed);
      }}
      problemsOf={problemsOf}
      done={t('my-credentials:entered')}
      onDone={onDone}
      onClose={onClose}
    >
      {(problems, setProblems) => (
        <>
          {of === null && (
            <PairFields
              asset={asset}
              systemUser={systemUser}
              problem={problems.asset}
              onChoose={(nextAsset, nextSystemUser) => {
                setAsset(nextAsset);
                setChosen(nextSystemUser);
                setProblems({});
              }}
            />
          )}
          {systemUser && (
            <CredentialFields
              asksUsername={asksUsername(systemUser)}
              value={typed}
              problems={problems}
              onChange={setTyped}
              required
            />
          )}
        </>
      )}
    </CredentialDialog>
  );
}
