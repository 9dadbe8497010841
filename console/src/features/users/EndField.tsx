import { useParams } from '@tanstack/react-router';
import { currentSession } from '#/lib/session';
import { HeldChoices } from '#/domain/credentials/AlsoEnd';
import type { CustomInput } from '#/resource/define';

/** In the user form: a choice of credentials to revoke together with the old password. */
export function EndField({ input }: { readonly input: CustomInput }) {
  const { id = '' }: { id?: string } = useParams({ strict: false });
  return (
    <HeldChoices
      path={`users/users/${id}/credentials/`}
      isOwn={currentSession()?.profile.id === id}
      chosen={Array.isArray(input.value) ? input.value.map(String) : []}
      onChange={input.onChange}
    />
  );
}
