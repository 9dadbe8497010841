import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { RadioGroup } from '#/ui/choice';
import { Dialog } from '#/ui/dialog';
import type { GrantedAsset, GrantedSystemUser } from './api';

/** Asks which account to use, when there are several. The first one has the highest priority. */
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
  const [chosen, setChosen] = useState(choices[0]?.id ?? '');
  const connect = (): void => {
    const systemUser = choices.find((choice) => choice.id === chosen);
    if (systemUser) onChoose(systemUser);
  };
  return (
    <Dialog
      isOpen
      size="text"
      title={t('connect:choose_system_user', { asset: asset.hostname })}
      onClose={onCancel}
      footer={
        <>
          <Button onClick={onCancel}>{t('ui:cancel')}</Button>
          <Button kind="primary" onClick={connect}>
            {t('connect:connect')}
          </Button>
        </>
      }
    >
      <div role="radiogroup" aria-label={t('connect:system_user')} className="grid">
        <RadioGroup
          name="system-user"
          value={chosen}
          onChange={setChosen}
          options={choices.map((choice) => ({
            value: choice.id,
            label:
              choice.username && choice.username !== choice.name
                ? `${choice.name} (${choice.username})`
                : choice.name,
          }))}
        />
      </div>
    </Dialog>
  );
}
