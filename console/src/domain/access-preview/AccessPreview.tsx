import { useQuery, useQueryClient } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useContext, useEffect, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Note } from '#/ui/note';
import { QuestionRuns } from '#/ui/question';
import { PreviewLists } from './PreviewLists';
import {
  type Asked,
  changesNothing,
  type Figures,
  MAX_CHANGES,
  type Preview,
  previewAccess,
} from './preview';

type Kind = 'assets' | 'applications';

const TARGETS = { assets: 'access-preview:assets', applications: 'access-preview:applications' } as const;
const SIDES = { gained: 'access-preview:gained', lost: 'access-preview:lost' } as const;

/** One line: how many people gain or lose how much. */
function Line({ side, kind, figures }: { side: keyof typeof SIDES; kind: Kind; figures: Figures }) {
  const t = useT();
  if (figures.pairs === 0) return null;
  const people = t('access-preview:people', { count: figures.people });
  const targets = t(TARGETS[kind], { count: figures.targets });
  return (
    <li className={`tabular-nums ${side === 'lost' ? 'text-danger' : 'text-ok'}`}>
      {t(SIDES[side], { people, targets })}
    </li>
  );
}

/** New access as an account that has every right on a host. */
function Privileged({ preview }: { readonly preview: Preview }) {
  const t = useT();
  const rows = preview.assets.system_users.filter((row) => row.is_privileged && row.gained.pairs > 0);
  return rows.map((row) => (
    <li key={row.id} className="flex gap-2 text-warn">
      <TriangleAlert className="mt-0.5" role="img" aria-label={t('ui:warning')} />
      <span className="[overflow-wrap:anywhere]">
        {t('access-preview:privileged', {
          people: t('access-preview:people', { count: row.gained.people }),
          targets: t('access-preview:assets', { count: row.gained.targets }),
          account: row.name,
        })}
      </span>
    </li>
  ));
}

/** Whether only the account changes with which people reach what they reach already. */
function isOnlyAccounts({ assets, applications }: Preview): boolean {
  return [assets.gained, assets.lost, applications.gained, applications.lost].every(
    (figures) => figures.pairs === 0,
  );
}

/** Who gains and loses access by changes that are not saved yet, and the list behind a button. */
export function AccessPreview(asked: Asked) {
  const t = useT();
  if (asked.changes.length > MAX_CHANGES) {
    return <p className="text-ink-2">{t('access-preview:too_many', { most: MAX_CHANGES })}</p>;
  }
  return <Compared {...asked} />;
}

/**
 * The comparison. It is abandoned once the changes are confirmed: after them the server would refuse to compare what is
 * gone. A failed change asks anew.
 */
function useComparison(asked: Asked) {
  const client = useQueryClient();
  const areMade = useContext(QuestionRuns);
  useEffect(() => {
    if (areMade) void client.cancelQueries({ queryKey: ['access-preview'] });
  }, [areMade, client]);
  return useQuery({
    queryKey: ['access-preview', asked],
    queryFn: ({ signal }) => previewAccess(asked, signal),
    enabled: !areMade,
    staleTime: 0,
    gcTime: 0,
  });
}

function Compared({ changes, at }: Asked) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  const asked: Asked = { changes, at };
  const answer = useComparison(asked);
  if (answer.error) {
    return <Note tone="warn">{t('access-preview:failed', { reason: explain(answer.error) })}</Note>;
  }
  const preview = answer.data;
  if (!preview) {
    return (
      <p className="text-ink-3" role="status">
        {t('access-preview:loading')}
      </p>
    );
  }
  if (changesNothing(preview)) {
    return (
      <p className="text-ink-2" role="status">
        {t('access-preview:nothing')}
      </p>
    );
  }
  return (
    <div role="status">
      <ul className="grid gap-1 font-semibold">
        <Line side="gained" kind="assets" figures={preview.assets.gained} />
        <Line side="lost" kind="assets" figures={preview.assets.lost} />
        <Line side="gained" kind="applications" figures={preview.applications.gained} />
        <Line side="lost" kind="applications" figures={preview.applications.lost} />
        {isOnlyAccounts(preview) && <li className="text-ink-2">{t('access-preview:only_accounts')}</li>}
        <Privileged preview={preview} />
      </ul>
      <div className="mt-2">
        <Button size="sm" onClick={() => setOpen(true)}>
          {t('access-preview:show')}
        </Button>
      </div>
      {isOpen && <PreviewLists asked={asked} first={preview} onClose={() => setOpen(false)} />}
    </div>
  );
}
