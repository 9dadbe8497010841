import { useT } from '#/lib/i18n';
import type { VouchingProvider } from '#/domain/external/providers';
import { buttonLook } from '#/ui/button';
import { visible } from '#/ui/visible-text';
import { confirmAddress } from './confirming';

/** Leads to the provider, which asks who the person is, and back to this page with the dialog open. */
export function ConfirmAtProvider({
  provider,
  dialog,
}: {
  readonly provider: VouchingProvider;
  readonly dialog: string;
}) {
  const t = useT();
  const name = visible(provider.name);
  return (
    <div className="grid gap-3">
      <p className="text-ink-2">{t('mfa:confirm.why', { provider: name })}</p>
      <a href={confirmAddress(dialog)} className="pt-button" {...buttonLook({ kind: 'primary' })}>
        <span className="truncate">{t('mfa:confirm.with', { provider: name })}</span>
      </a>
    </div>
  );
}
