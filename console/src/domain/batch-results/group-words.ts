import { translate } from '#/lib/i18n';
import type { StatusTone } from '#/ui/status';
import type { Group } from './api';

type Ended = Pick<Group, 'state' | 'result' | 'status' | 'state_display' | 'result_display'>;

/** How hosts ended, or what they are doing, in a few words. */
export function wordsOf(host: Ended): string {
  if (host.state !== 'ended') return host.state_display;
  if (host.result === 'failed' && host.status !== null)
    return translate('batch-results:exit', { status: host.status });
  return host.result_display;
}

export function toneOf(host: Ended): StatusTone {
  if (host.state !== 'ended') return 'unknown';
  if (host.result === 'done') return 'ok';
  return host.result === 'stopped' || host.result === 'not_started' ? 'warn' : 'danger';
}

export type Part = 'failed' | 'done' | 'open';

/** The part of the list that contains a group. */
export function partOf(host: Ended): Part {
  if (host.state !== 'ended') return 'open';
  return host.result === 'done' ? 'done' : 'failed';
}

/** The most telling line: the last line if the command failed, else the first. Blank lines are skipped. */
export function tellingLine(host: Ended, text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (partOf(host) === 'failed' ? lines.at(-1) : lines[0]) ?? '';
}
