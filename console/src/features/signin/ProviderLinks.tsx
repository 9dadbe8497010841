import { useT } from '#/lib/i18n';
import { type ProviderName, startAddress } from '#/domain/external/providers';
import { buttonLook } from '#/ui/button';

/** A way to each provider that is switched on. */
export function ProviderLinks({
  providers,
  next,
}: {
  readonly providers: readonly ProviderName[];
  readonly next: string | null;
}) {
  const t = useT();
  // i18n: external:name.*
  return (
    <div className="mt-5 grid gap-2">
      <div className="flex items-center gap-3 text-meta text-ink-3">
        <span className="h-px grow bg-(--line)" />
        {t('external:sign_in.or')}
        <span className="h-px grow bg-(--line)" />
      </div>
      {providers.map((name) => (
        <a
          key={name}
          href={startAddress(name, 'login', next)}
          className="pt-button"
          {...buttonLook({ size: 'lg' })}
        >
          {t('external:sign_in.with', { provider: t(`external:name.${name}`) })}
        </a>
      ))}
    </div>
  );
}
