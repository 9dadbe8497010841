import { useT } from '#/lib/i18n';
import { type ProviderName, startAddress, vouchingAddress } from '#/domain/external/providers';
import { buttonLook } from '#/ui/button';
import { visible } from '#/ui/visible-text';
import type { SignInSettings } from './api';

function ProviderLink({ name, href }: { readonly name: string; readonly href: string }) {
  const t = useT();
  return (
    <a href={href} className="pt-button" {...buttonLook({ size: 'lg' })}>
      <span className="truncate">{t('external:sign_in.with', { provider: name })}</span>
    </a>
  );
}

/** A way to each provider that is switched on. */
export function ProviderLinks({
  providers,
  vouching,
  next,
  isDivided,
}: {
  readonly providers: readonly ProviderName[];
  readonly vouching: SignInSettings['vouching'];
  readonly next: string | null;
  /** A line with "or" above the links. */
  readonly isDivided: boolean;
}) {
  const t = useT();
  // i18n: external:name.*
  return (
    <div className={`grid gap-2 ${isDivided ? 'mt-5' : 'mt-2'}`}>
      {isDivided && (
        <div className="flex items-center gap-3 text-meta text-ink-3">
          <span className="h-px grow bg-(--line)" />
          {t('external:sign_in.or')}
          <span className="h-px grow bg-(--line)" />
        </div>
      )}
      {vouching.map((provider) => (
        <ProviderLink
          key={`${provider.kind}/${provider.id}`}
          name={visible(provider.name)}
          href={vouchingAddress(provider, next)}
        />
      ))}
      {providers.map((name) => (
        <ProviderLink key={name} name={t(`external:name.${name}`)} href={startAddress(name, 'login', next)} />
      ))}
    </div>
  );
}
