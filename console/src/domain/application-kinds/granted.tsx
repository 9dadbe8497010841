import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';
import { ChipsCell, ShowCell } from '#/resource/format';

/** An application that a person may use. */
export type GrantedApplicationRow = Pick<
  Api<'GrantedApplication'>,
  'id' | 'name' | 'category' | 'type' | 'type_display' | 'attrs' | 'comment'
>;

async function loadSystemUsers(base: string, id: string) {
  const systemUsers = await http.get<readonly { readonly name: string }[]>(
    `${base}applications/${id}/system-users/`,
  );
  return <ChipsCell values={systemUsers.map((systemUser) => systemUser.name)} />;
}

/** Names of the system users that may be used on an application, the default one first. Loaded on demand. */
export function GrantedSystemUsers({ base, id }: { readonly base: string; readonly id: string }) {
  return <ShowCell load={() => loadSystemUsers(base, id)} />;
}
