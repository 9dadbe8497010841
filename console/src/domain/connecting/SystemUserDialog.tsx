import { type FormEvent, useId, useState } from 'react';
import {
  asksUsername,
  type CredentialProblems,
  enterCredential,
  isManual,
  missingIn,
  problemsOf,
  type TypedCredential,
} from '#/domain/entered-credentials/api';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { RadioGroup } from '#/ui/choice';
import { Dialog } from '#/ui/dialog';
import { visible } from '#/ui/visible-text';
import type { GrantedAsset, GrantedSystemUser } from './api';
import { ManualSignIn } from './ManualSignIn';

const NOTHING: TypedCredential = { username: '', password: '' };

function labelOf({ name, username }: GrantedSystemUser): string {
  return visible(username && username !== name ? `${name} (${username})` : name);
}

/**
 * Asks which account to use, when there are several, and for its credential, when nobody stores it. The first one has
 * the highest priority.
 */
export function SystemUserDialog({
  asset,
  choices,
  onChoose,
  onCancel,
}: {
  readonly asset: GrantedAsset;
  readonly choices: readonly GrantedSystemUser[];
  readonly onChoose: (systemUser: GrantedSystemUser) => void;
  readonly onCancel: () => void;
}) {
  const t = useT();
  const form = useId();
  const [chosen, setChosen] = useState(choices[0]?.id ?? '');
  const [typed, setTyped] = useState(NOTHING);
  const [replaces, setReplaces] = useState(false);
  const [problems, setProblems] = useState<CredentialProblems>({});
  const [busy, setBusy] = useState(false);
  const systemUser = choices.find((choice) => choice.id === chosen);

  const choose = (id: string): void => {
    setChosen(id);
    setTyped(NOTHING);
    setReplaces(false);
    setProblems({});
  };
  const connect = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!systemUser || busy) return;
    // With empty fields the host asks while connecting, unless they are to replace a stored credential.
    if (replaces || typed.username !== '' || typed.password !== '') {
      const missing = missingIn(typed, asksUsername(systemUser));
      setProblems(missing);
      if (Object.keys(missing).length > 0) return;
      setBusy(true);
      try {
        await enterCredential({ asset: asset.id, systemUser: systemUser.id }, typed);
      } catch (error) {
        setProblems(problemsOf(error));
        setBusy(false);
        return;
      }
    }
    onChoose(systemUser);
  };

  return (
    <Dialog
      isOpen
      size="text"
      title={t(choices.length > 1 ? 'connecting:choose_system_user' : 'connecting:manual.title', {
        asset: visible(asset.hostname),
      })}
      onClose={onCancel}
      footer={
        <>
          <Button onClick={onCancel}>{t('ui:cancel')}</Button>
          <Button kind="primary" type="submit" form={form} busy={busy}>
            {t('connecting:connect')}
          </Button>
        </>
      }
    >
      <form id={form} className="grid gap-3" noValidate onSubmit={(event) => void connect(event)}>
        {choices.length > 1 && (
          <div role="radiogroup" aria-label={t('connecting:system_user')} className="grid">
            <RadioGroup
              name="system-user"
              value={chosen}
              onChange={choose}
              options={choices.map((choice) => ({ value: choice.id, label: labelOf(choice) }))}
            />
          </div>
        )}
        {systemUser && isManual(systemUser) && (
          <ManualSignIn
            key={systemUser.id}
            assetId={asset.id}
            systemUser={systemUser}
            replaces={replaces}
            onReplace={() => setReplaces(true)}
            value={typed}
            problems={problems}
            onChange={setTyped}
          />
        )}
      </form>
    </Dialog>
  );
}
