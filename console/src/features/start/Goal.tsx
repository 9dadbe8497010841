import { useQuery } from '@tanstack/react-query';
import { SquareTerminal } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import { sshAddressQuery } from '#/domain/ssh-lines/api';
import { CopyBlock } from '#/domain/ssh-lines/SshLines';
import { Card } from '#/ui/card';

/** The result of the steps: the command with which everybody connects. */
export function Goal() {
  const t = useT();
  const { username } = useSession().profile;
  const address = useQuery(sshAddressQuery).data;
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          <SquareTerminal className="text-accent" aria-hidden />
          {t('start:goal.title')}
        </span>
      }
    >
      <p className="mb-2 text-ink-2">{t('start:goal.what')}</p>
      {address && (
        <CopyBlock label={t('start:goal.line')} text={`ssh -p ${address.port} ${username}@${address.host}`} />
      )}
    </Card>
  );
}
