import { translate } from '#/lib/i18n';
import type { StatusTone } from '#/ui/status';
import type { Group } from './api';

type Ended = Pick<Group, 'state' | 'result' | 'status' | 'state_display' | 'result_display'>;

/** How hosts ended, or what they are doing, in a few words. */
export function wordsOf(one: Ended): string {
  if (one.state !== 'ended') return one.state_display;
  if (one.result === 'failed' && one.status !== null)
    return translate('batch-results:exit', { status: one.status });
  return one.result_display;
}

export function toneOf(one: Ended): StatusTone {
  if (one.state !== 'ended') return 'unknown';
  if (one.result === 'done') return 'ok';
  return one.result === 'stopped' || one.result === 'not_started' ? 'warn' : 'danger';
}

export type Part = 'failed' | 'done' | 'open';

/** The part of the list that contains a group. */
export function partOf(one: Ended): Part {
  if (one.state !== 'ended') return 'open';
  return one.result === 'done' ? 'done' : 'failed';
}

/** The most telling line: the last line if the command failed, else the first. Blank lines are skipped. */
export function tellingLine(one: Ended, text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (partOf(one) === 'failed' ? lines.at(-1) : lines[0]) ?? '';
}
