import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import type { QuestionOption } from '#/ui/question';

/** The credentials of a person that a password change offers to revoke. */
interface Held {
  readonly access_keys: readonly {
    readonly id: string;
    readonly is_active: boolean;
    readonly date_last_used: string | null;
  }[];
  readonly public_keys: readonly {
    readonly algorithm: string;
    readonly fingerprint: string;
    readonly comment: string;
  }[];
}

/**
 * Options for the credentials that can be revoked together with the password. `path` lists the person's credentials;
 * kinds of which there are none are left out.
 */
export async function credentialsToEnd(path: string): Promise<readonly QuestionOption[]> {
  const credentials = await http.get<Held>(path, { quiet: true });
  const keys = credentials.access_keys.map(({ id, is_active: isActive, date_last_used: date }) => {
    if (!isActive) return translate('credentials:key_off', { id });
    return date === null
      ? translate('credentials:key_unused', { id })
      : translate('credentials:key_used', { id, date });
  });
  const lines = credentials.public_keys.map(({ comment, fingerprint }) =>
    comment ? `${comment} ${fingerprint}` : fingerprint,
  );
  return [
    {
      value: 'access_keys',
      label: translate('credentials:access_keys', { count: keys.length }),
      details: keys,
    },
    {
      value: 'public_keys',
      label: translate('credentials:public_keys', { count: lines.length }),
      details: lines,
    },
  ].filter(({ details }) => details.length > 0);
}
