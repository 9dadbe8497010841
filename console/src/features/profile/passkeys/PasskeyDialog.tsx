import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { withFactorShown } from '#/domain/mfa';
import { type RecoveryCodesAnswer, verifyPassword } from '#/domain/mfa/api';
import { type Confirming, isOfDirectory, noticingExpiry } from '#/domain/mfa/confirming';
import { ConfirmAtProvider } from '#/domain/mfa/ConfirmAtProvider';
import { RecoveryCodes } from '#/domain/mfa/RecoveryCodes';
import { type Passkey, removePasskey, renamePasskey } from '#/domain/passkeys/api';
import { makePasskey } from '#/domain/passkeys/ceremonies';
import { PasskeyNameForm } from '#/domain/passkeys/PasskeyNameForm';
import { PasskeyProblem, passkeyText } from '#/domain/passkeys/problem';
import { Dialog } from '#/ui/dialog';
import { toast } from '#/ui/toast';
import { PasswordForm } from './PasswordForm';

export type PasskeyChange =
  | { readonly kind: 'add' }
  | { readonly kind: 'rename' | 'remove'; readonly passkey: Passkey };

const DONE = {
  add: 'passkeys:card.added',
  rename: 'passkeys:card.renamed',
  remove: 'passkeys:card.removed',
} as const;

/** Asks who it is, then for a name; the browser makes the passkey. The first passkey brings recovery codes. */
function AddSteps({
  confirming,
  onCodes,
  onDone,
}: {
  readonly confirming: Confirming;
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onDone: () => void;
}) {
  const t = useT();
  const client = useQueryClient();
  const [isConfirmed, setConfirmed] = useState(false);
  if (confirming.by === 'provider' && !confirming.isConfirmed) {
    return <ConfirmAtProvider provider={confirming.provider} dialog="passkey-add" />;
  }
  if (confirming.by !== 'provider' && !isConfirmed) {
    return (
      <PasswordForm
        ofDirectory={isOfDirectory(confirming)}
        submitLabel={t('passkeys:dialog.go_on')}
        submit={async (password) => {
          await verifyPassword(password);
          setConfirmed(true);
        }}
      />
    );
  }
  return (
    <PasskeyNameForm
      name={t('passkeys:first_name')}
      submitLabel={t('passkeys:create')}
      textOf={passkeyText}
      save={async (name) => {
        const make = () => makePasskey<RecoveryCodesAnswer>(name);
        const made = await noticingExpiry(client, () => withFactorShown(make));
        if (made === null) throw new PasskeyProblem(t('passkeys:not_done'));
        if (made.recovery_codes.length > 0) onCodes(made.recovery_codes);
        else onDone();
      }}
    />
  );
}

/** Removes the passkey after the person has confirmed who they are. */
function RemoveSteps({
  passkey,
  confirming,
  onDone,
}: {
  readonly passkey: Passkey;
  readonly confirming: Confirming;
  readonly onDone: () => void;
}) {
  const t = useT();
  const client = useQueryClient();
  if (confirming.by === 'provider' && !confirming.isConfirmed) {
    return <ConfirmAtProvider provider={confirming.provider} dialog={`passkey-remove-${passkey.id}`} />;
  }
  return (
    <PasswordForm
      danger
      asksPassword={confirming.by !== 'provider'}
      ofDirectory={isOfDirectory(confirming)}
      why={t('passkeys:card.remove_why')}
      submitLabel={t('passkeys:card.remove')}
      submit={async (password) => {
        if (confirming.by !== 'provider') await verifyPassword(password);
        const removal = async () => (await removePasskey(passkey.id), true);
        // null: the person does not show the factor
        if (await noticingExpiry(client, () => withFactorShown(removal))) onDone();
      }}
    />
  );
}

/** One change of the person's passkeys, from the first question to the end. */
export function PasskeyDialog({
  change,
  confirming,
  onClose,
}: {
  readonly change: PasskeyChange;
  readonly confirming: Confirming;
  /** `changed`: the passkeys have changed. */
  readonly onClose: (changed: boolean) => void;
}) {
  const t = useT();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const finish = () => {
    toast({ tone: 'ok', text: t(DONE[change.kind]) });
    onClose(true);
  };
  const name = change.kind === 'add' ? '' : change.passkey.name;
  const titles = {
    add: t('passkeys:card.add'),
    rename: t('passkeys:card.rename_it', { name }),
    remove: t('passkeys:card.remove_it', { name }),
  };
  return (
    <Dialog
      isOpen
      size="text"
      title={codes ? t('mfa:recovery.title') : titles[change.kind]}
      onClose={() => (codes ? finish() : onClose(false))}
    >
      {codes && <RecoveryCodes codes={codes} doneLabel={t('mfa:flow.done')} onKept={finish} />}
      {!codes && change.kind === 'add' && (
        <AddSteps confirming={confirming} onCodes={setCodes} onDone={finish} />
      )}
      {change.kind === 'rename' && (
        <PasskeyNameForm
          name={name}
          submitLabel={t('passkeys:dialog.save')}
          textOf={explain}
          save={async (typed) => {
            await renamePasskey(change.passkey.id, typed);
            finish();
          }}
        />
      )}
      {change.kind === 'remove' && (
        <RemoveSteps passkey={change.passkey} confirming={confirming} onDone={finish} />
      )}
    </Dialog>
  );
}
