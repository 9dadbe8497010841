import { Unlink } from 'lucide-react';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { currentSession } from '#/lib/session';
import { isBound, type ProviderName, PROVIDERS, providersOn } from '#/domain/external/providers';
import type { QuickAction } from '#/resource/define';
import { confirm } from '#/ui/confirm';

interface Person {
  readonly id: string;
  readonly name: string;
  readonly can_update: boolean;
}

/** Asks, then unbinds the account of a person at a provider. */
function unbind(person: Person, provider: ProviderName): Promise<boolean> {
  // i18n: external:name.*
  const label = translate(`external:name.${provider}`);
  return confirm({
    title: translate('users:unbind.question', { provider: label, name: person.name }),
    effect: translate('users:unbind.effect'),
    confirmLabel: translate('users:quick.unbind_do'),
    danger: true,
    run: () => http.post(`authentication/${provider}/qr/unbind/${person.id}/`, undefined, { quiet: true }),
  });
}

function whyNot(person: Person, provider: ProviderName): string | undefined {
  if (!isBound(person, provider)) return translate('users:quick.not_bound');
  if (currentSession()?.profile.id === person.id) return translate('users:quick.own_account');
  return person.can_update ? undefined : translate('resource:not_allowed');
}

/** For each provider that is on, or at which the person has a bound account. */
// i18n: external:account.*
export const UNBIND_ACTIONS: readonly QuickAction<Person>[] = PROVIDERS.map((provider) => ({
  id: provider,
  label: `external:account.${provider}`,
  icon: Unlink,
  isOffered: (person) =>
    isBound(person, provider) || providersOn(currentSession()?.settings ?? {}).includes(provider),
  state: (person) => translate(isBound(person, provider) ? 'users:quick.bound' : 'users:quick.not_bound'),
  disabledReason: (person) => whyNot(person, provider),
  control: { kind: 'button', label: 'users:quick.unbind_do', run: (person) => unbind(person, provider) },
}));
