import { AppWindow } from 'lucide-react';
import { systemUserOptions } from '#/domain/remotes';
import type { RemoteOptions } from '#/resource/define';
import { textOf } from '#/resource/format';
import { CATEGORIES, protocolOf } from './kinds';

export const everyApplication: RemoteOptions = {
  api: 'applications/applications/',
  option: (row) => ({
    id: textOf(row['id']),
    label: textOf(row['name']),
    detail: textOf(row['type_display']),
  }),
  icon: AppWindow,
};

/** Applications of one type. */
export function applicationsOf(category: string, type: string): RemoteOptions {
  return { ...everyApplication, query: { category, type } };
}

/** System users that speak this protocol. */
export function systemUsersSpeaking(protocol: string): RemoteOptions {
  return { ...systemUserOptions, query: { protocol__in: protocol } };
}

/** System users that speak the protocol of any application. */
export const everyApplicationAccount: RemoteOptions = systemUsersSpeaking(
  [...new Set(Object.values(CATEGORIES).flat().map(protocolOf))].join(','),
);
