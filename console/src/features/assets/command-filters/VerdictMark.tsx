import { CircleCheck, Hourglass, OctagonAlert } from 'lucide-react';
import { useT } from '#/lib/i18n';
import type { Icon } from '#/ui/icon';
import type { Verdict } from './trial';

const LOOK: Record<Verdict, { readonly icon: Icon; readonly tone: string }> = {
  allow: { icon: CircleCheck, tone: 'text-ok' },
  confirm: { icon: Hourglass, tone: 'text-warn' },
  deny: { icon: OctagonAlert, tone: 'text-danger' },
};

// i18n: command-filters:verdict.*
// i18n: command-filters:says.*
/** What happens with a command, as icon and word; with `asRule`, what a rule says. */
export function VerdictMark({
  verdict,
  asRule = false,
}: {
  readonly verdict: Verdict;
  readonly asRule?: boolean;
}) {
  const t = useT();
  const { icon: Mark, tone } = LOOK[verdict];
  return (
    <span className={`inline-flex items-center gap-1.5 align-bottom whitespace-nowrap ${tone}`}>
      <Mark aria-hidden />
      {t(asRule ? `command-filters:says.${verdict}` : `command-filters:verdict.${verdict}`)}
    </span>
  );
}

const OF_ACTION: readonly Verdict[] = ['deny', 'allow', 'confirm'];

/** The verdict for the API's number of an action. */
export function verdictOf(action: number): Verdict {
  return OF_ACTION[action] ?? 'deny';
}
