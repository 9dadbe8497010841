import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import type { ActionTools, ObjectAction } from '#/resource/define';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';
import { BadgeCheck, Ban, RefreshCw, ShieldOff } from 'lucide-react';

/** The fields that determine the possible actions of a terminal. */
export interface TerminalStanding {
  readonly id: string;
  readonly name: string;
  readonly remote_addr?: string;
  readonly fingerprint: string;
  readonly is_accepted?: boolean;
  readonly is_revoked: boolean;
  readonly is_renewal_due: boolean;
}

export type TerminalState = 'waiting' | 'revoked' | 'accepted';

export function stateOf(row: TerminalStanding): TerminalState {
  if (row.is_revoked) return 'revoked';
  return row.is_accepted ? 'accepted' : 'waiting';
}

interface Deed {
  readonly verb: 'accept' | 'refuse' | 'renew-credential' | 'revoke-credential';
  /** Below `terminals.` in the texts. */
  readonly words: 'accept' | 'refuse' | 'renew' | 'revoke';
  readonly danger: boolean;
  /** The terminal no longer exists after the action. */
  readonly removes?: boolean;
}

// i18n: sessions:terminals.accept.*
// i18n: sessions:terminals.refuse.*
// i18n: sessions:terminals.renew.*
// i18n: sessions:terminals.revoke.*
async function ask(row: TerminalStanding, deed: Deed, tools: ActionTools): Promise<void> {
  const values = { name: row.name, address: row.remote_addr ?? '', fingerprint: row.fingerprint };
  const done = await confirm({
    title: translate(`sessions:terminals.${deed.words}.question`, values),
    effect: translate(`sessions:terminals.${deed.words}.effect`, values),
    confirmLabel: translate(`sessions:terminals.${deed.words}.action`),
    danger: deed.danger,
    run: () => http.post(`terminal/terminals/${row.id}/${deed.verb}/`, undefined, { quiet: true }),
  });
  if (!done) return;
  toast({ tone: 'ok', text: translate(`sessions:terminals.${deed.words}.done`, values) });
  if (deed.removes) tools.gone?.(row.id);
  tools.refresh();
}

const isWaiting = (row: TerminalStanding) => stateOf(row) === 'waiting';
const isAccepted = (row: TerminalStanding) => stateOf(row) === 'accepted';

export const terminalActions: readonly ObjectAction<TerminalStanding>[] = [
  {
    id: 'accept',
    label: 'sessions:terminals.accept.action',
    icon: BadgeCheck,
    order: 1,
    isOffered: isWaiting,
    run: (row, tools) => ask(row, { verb: 'accept', words: 'accept', danger: false }, tools),
  },
  {
    id: 'refuse',
    label: 'sessions:terminals.refuse.action',
    icon: Ban,
    order: 2,
    danger: true,
    isOffered: isWaiting,
    run: (row, tools) => ask(row, { verb: 'refuse', words: 'refuse', danger: true, removes: true }, tools),
  },
  {
    id: 'renew',
    label: 'sessions:terminals.renew.action',
    icon: RefreshCw,
    order: 12,
    isOffered: isAccepted,
    disabledReason: (row) => (row.is_renewal_due ? translate('sessions:terminals.renew.due') : undefined),
    run: (row, tools) => ask(row, { verb: 'renew-credential', words: 'renew', danger: false }, tools),
  },
  {
    id: 'revoke',
    label: 'sessions:terminals.revoke.action',
    icon: ShieldOff,
    order: 14,
    danger: true,
    isOffered: isAccepted,
    run: (row, tools) => ask(row, { verb: 'revoke-credential', words: 'revoke', danger: true }, tools),
  },
];
