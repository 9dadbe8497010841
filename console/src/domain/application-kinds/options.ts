import { AppWindow } from 'lucide-react';
import { systemUserOptions } from '#/domain/remotes';
import type { RemoteOptions } from '#/resource/define';
import { textOf } from '#/resource/format';

/** Applications of one type. */
export function applicationsOf(category: string, type: string): RemoteOptions {
  return {
    api: 'applications/applications/',
    query: { category, type },
    option: (row) => ({
      id: textOf(row['id']),
      label: textOf(row['name']),
      detail: textOf(row['type_display']),
    }),
    icon: AppWindow,
  };
}

/** System users that speak this protocol. */
export function systemUsersSpeaking(protocol: string): RemoteOptions {
  return { ...systemUserOptions, query: { protocol__in: protocol } };
}
