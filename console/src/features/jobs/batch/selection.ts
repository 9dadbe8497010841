import type { BoxState } from '#/ui/tree';

/** Chosen hosts: id → name. */
export type Selection = ReadonlyMap<string, string>;

export interface Chosen {
  readonly id: string;
  readonly hostname: string;
}

export const NOBODY: Selection = new Map();

/** Adds all, or removes them if all are there. */
export function toggled(selection: Selection, hosts: readonly Chosen[]): Selection {
  const next = new Map(selection);
  if (hosts.length > 0 && hosts.every((host) => next.has(host.id)))
    for (const host of hosts) next.delete(host.id);
  else for (const host of hosts) next.set(host.id, host.hostname);
  return next;
}

export function selectionOf(hosts: readonly Chosen[]): Selection {
  return new Map(hosts.map((host) => [host.id, host.hostname]));
}

/** The state of a node's checkbox, when these of its hosts are known. */
export function boxOf(selection: Selection, hosts: readonly string[]): BoxState {
  const chosen = hosts.filter((id) => selection.has(id)).length;
  if (chosen === 0) return 'off';
  return chosen === hosts.length ? 'on' : 'some';
}
