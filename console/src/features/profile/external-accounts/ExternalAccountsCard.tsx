import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { currentSession } from '#/lib/session';
import { bindAfterVisit } from '#/domain/external/api';
import { isBound, type ProviderName, PROVIDERS, providersOn } from '#/domain/external/providers';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { Note } from '#/ui/note';
import { PasswordDialog } from './PasswordDialog';
import { useCameBack } from './use-came-back';
import { useWantedDialog } from '../wanted-dialog';

type Step = 'bind' | 'unbind';

/** The provider whose dialog the address asks for; older pages of the server link to it. */
function useWantedProvider(offered: readonly ProviderName[]) {
  const [wecom, leaveWecom] = useWantedDialog('wecom');
  const [dingtalk, leaveDingtalk] = useWantedDialog('dingtalk');
  const [feishu, leaveFeishu] = useWantedDialog('feishu');
  const wanted = { wecom, dingtalk, feishu };
  const provider = offered.find((name) => wanted[name] === 'bind') ?? null;
  const leave = () =>
    [leaveWecom, leaveDingtalk, leaveFeishu].forEach((leaveProvider) => leaveProvider(false));
  return [provider, leave] as const;
}

function Account({
  provider,
  profile,
  isOn,
  isLocal,
  onStart,
}: {
  readonly provider: ProviderName;
  readonly profile: object;
  readonly isOn: boolean;
  readonly isLocal: boolean;
  readonly onStart: (step: Step) => void;
}) {
  const t = useT();
  const bound = isBound(profile, provider);
  const name = t(`external:name.${provider}`);
  const state = bound && !isOn ? 'off' : bound ? 'bound' : 'not_bound';
  const step: Step = bound ? 'unbind' : 'bind';
  // i18n: external:name.*
  // i18n: external:card.*
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3.5 py-2.5 first:border-t-0">
      <span className="min-w-24 font-semibold">{name}</span>
      <span className="grow text-ink-2">{t(`external:card.${state}`)}</span>
      <Button
        kind={bound ? 'danger' : 'neutral'}
        aria-label={t(`external:card.${step}_it`, { provider: name })}
        disabledReason={isLocal ? undefined : t('external:card.not_local')}
        onClick={() => onStart(step)}
      >
        {t(`external:card.${step}`)}
      </Button>
    </li>
  );
}

/** The person's accounts at providers: those that are on, and those that are bound. Nothing without any. */
export function ExternalAccountsCard({
  profile,
  isLocal,
  onChanged,
}: {
  readonly profile: object;
  /** Only local accounts have a password that can be checked before a change. */
  readonly isLocal: boolean;
  readonly onChanged: () => void;
}) {
  const t = useT();
  const on = providersOn(currentSession()?.settings ?? {});
  const shown = PROVIDERS.filter((name) => on.includes(name) || isBound(profile, name));
  const [open, setOpen] = useState<{ readonly provider: ProviderName; readonly step: Step } | null>(null);
  const bindable = isLocal ? on.filter((name) => !isBound(profile, name)) : [];
  const [wanted, leave] = useWantedProvider(bindable);
  const failure = useCameBack(undefined, bindAfterVisit, onChanged);
  const dialog = open ?? (wanted === null ? null : { provider: wanted, step: 'bind' as const });
  if (shown.length === 0 && failure === null) return null;
  return (
    <Card title={t('external:card.title')} flush>
      {failure !== null && (
        <div className="p-3.5">
          <Note tone="danger" announce>
            {failure}
          </Note>
        </div>
      )}
      <ul>
        {shown.map((provider) => (
          <Account
            key={provider}
            provider={provider}
            profile={profile}
            isOn={on.includes(provider)}
            isLocal={isLocal}
            onStart={(step) => setOpen({ provider, step })}
          />
        ))}
      </ul>
      {dialog && (
        <PasswordDialog
          {...dialog}
          onClose={(changed) => {
            setOpen(null);
            leave();
            if (changed) onChanged();
          }}
        />
      )}
    </Card>
  );
}
