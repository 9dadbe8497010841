import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { RadioGroup } from '#/ui/choice';
import { Dialog } from '#/ui/dialog';
import type { GrantedAsset, GrantedSystemUser } from './api';

/** Which account to use, when there is a choice. The first has the highest priority. */
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
    const systemUser = choices.find((one) => one.id === chosen);
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
          options={choices.map((one) => ({
            value: one.id,
            label: one.username && one.username !== one.name ? `${one.name} (${one.username})` : one.name,
          }))}
        />
      </div>
    </Dialog>
  );
}
