import { Hourglass, OctagonAlert, UserCheck } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { Badge } from '#/ui/status';
import type { CommandRow } from './command-row';

/** What a command filter decided about a command, or else that it is dangerous. */
export function CommandMark({ command }: { readonly command: CommandRow }) {
  const t = useT();
  const filter = command.decision_filter;
  switch (command.decision) {
    case 'deny':
      return (
        <Badge tone="danger" icon={OctagonAlert} title={t('commands:decision.not_run')}>
          {filter === '' ? t('commands:decision.refused') : t('commands:decision.refused_by', { filter })}
        </Badge>
      );
    case 'confirm':
      return (
        <Badge tone="warn" icon={Hourglass} title={t('commands:decision.not_run')}>
          {t('commands:decision.not_confirmed', { filter })}
        </Badge>
      );
    case 'allow':
      return (
        <Badge tone="info" icon={UserCheck}>
          {t('commands:decision.confirmed', { filter })}
        </Badge>
      );
    default:
      return command.risk_level > 0 ? <Badge tone="danger">{t('commands:dangerous')}</Badge> : null;
  }
}
