import { useT } from '#/lib/i18n';
import { ResourceList } from '#/resource/list/ResourceList';
import { openidProvider } from '../openid/openid.resource';
import { samlProvider } from '../saml/saml.resource';

/** The providers of a protocol, in the order of the sign-in page. */
export function VouchingTab({ kind }: { readonly kind: 'openid' | 'saml' }) {
  const t = useT();
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="max-w-[720px] text-ink-2">
        {t(kind === 'openid' ? 'settings:openid.intro' : 'settings:saml.intro')}
      </p>
      {kind === 'openid' ? (
        <ResourceList resource={openidProvider} embedded />
      ) : (
        <ResourceList resource={samlProvider} embedded />
      )}
    </div>
  );
}
